import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError } from '../../../src/lab/talos/validate/config-error.js';
import { loadConfig } from '../../../src/lab/talos/validate/load.js';
import { validateAtRuntime, validateConfig } from '../../../src/lab/talos/validate/validate.js';
import type { DiskView } from '../../../src/lab/talos/volumes/disks.js';
import { configText, fixture, maskLines, recordedConfig } from './recorded-config.js';

const cases = z
  .array(
    z.object({
      name: z.string(),
      base: z.enum(['controlplane', 'worker']).nullable(),
      patch: recordedConfig.nullable().optional(),
      full: z.string().optional(),
      verdict: z.object({ ok: z.boolean(), errors: z.array(z.string()), warnings: z.array(z.string()) }),
      apply: z.object({
        code: z.string(),
        message: z.string().optional(),
        warnings: z.array(z.string()).optional(),
      }),
    }),
  )
  .parse(JSON.parse(fixture('validate.json')));

/** The recording machine's only disk. */
const DISK: DiskView = {
  slot: 'scsi0',
  id: 'sda',
  devPath: '/dev/sda',
  size: 32 * 1024 ** 3,
  cdrom: false,
  readonly: false,
  rotational: false,
  model: 'QEMU HARDDISK',
  transport: 'virtio',
  wwid: '',
  busPath: '',
  symlinks: [],
};

function judge(text: string): { ok: boolean; errors: readonly string[]; warnings: readonly string[] } {
  try {
    const { errors, warnings } = validateConfig(loadConfig(text));
    return { ok: errors.length === 0, errors: errors.map(maskLines), warnings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { ok: false, errors: [maskLines(error.message)], warnings: [] };
  }
}

function apply(text: string): { code: string; message?: string; warnings?: readonly string[] } {
  try {
    return { code: 'OK', warnings: validateAtRuntime(loadConfig(text), [DISK]).warnings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { code: 'INVALID_ARGUMENT', message: maskLines(error.message) };
  }
}

/** Words of the YAML and CEL libraries, which may differ. */
const libraryText = (text: string) => /Syntax error|go-yaml load error/.test(text);

describe.each(cases)('$name', ({ base, patch, full, verdict, apply: applied }) => {
  const text = configText({ base, ...patch, ...(full === undefined ? {} : { full }) });

  it('is judged as the real validator does', () => {
    const judged = judge(text);
    expect(judged.ok).toBe(verdict.ok);
    expect(judged.errors).toHaveLength(verdict.errors.length);
    for (const [index, error] of verdict.errors.entries()) {
      if (!libraryText(error)) expect(judged.errors[index]).toBe(error);
    }
    expect(judged.warnings).toEqual(verdict.warnings);
  });

  it('is answered as ApplyConfiguration does', () => {
    const answer = apply(text);
    expect(answer.code).toBe(applied.code);
    if (applied.message !== undefined && !libraryText(applied.message))
      expect(answer.message).toBe(applied.message);
    if (applied.warnings !== undefined) expect(answer.warnings).toEqual(applied.warnings);
  });
});
