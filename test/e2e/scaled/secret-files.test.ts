/** Broken files with secrets in them, of every kind: no output has anything of what stands there. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { CliFolder } from '../../support/cli.js';
import { chosen } from '../../support/shard.js';
import { smallFile } from '../../support/small-file.js';

const SECRET = 'Tr0ub4dor-and-3-planted';

/** Each breaks the YAML at or around the secret, or makes the library warn about it. */
const BROKEN = [
  `key: "${SECRET}\n`,
  `key: [${SECRET}\n`,
  `key: ${SECRET}\n bad: ${SECRET}\n`,
  `? { ${SECRET}: ${SECRET} }\n: 1\n`,
  `key: *${SECRET}\n`,
  `key: !${SECRET} ${SECRET}\n`,
  `${SECRET}: 1\n${SECRET}: 2\n`,
  `%${SECRET} x\n---\nkey: ${SECRET}\n`,
  `\tkey: ${SECRET}\n`,
  `key: ${SECRET}\n---\nkey: ${SECRET}\n`,
  `sops:\n  mac: "ENC[AES256_GCM,data:${SECRET}\n`,
  `sops:\n  age: [{ recipient: x, enc: "${SECRET}" }]\n  mac: ENC[AES256_GCM,${SECRET}]\n  lastmodified: "${SECRET}"\n`,
];

describe('a broken file with a secret', () => {
  it.each(chosen(BROKEN, { test: 3 }))('%j is not quoted', async (text) => {
    const folder = CliFolder.make(smallFile());
    onTestFinished(() => folder.remove());
    folder.write('broken.yaml', text);
    folder.write('keys.txt', `AGE-SECRET-KEY-${SECRET}\n`);
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(String(warning.stack));
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    for (const args of [
      ['secrets', 'import', 'broken.yaml'],
      ['--json', 'secrets', 'import', 'broken.yaml'],
      ['kubeconfig', '--out', 'broken.yaml', '--merge'],
      ['talosconfig', '--out', 'broken.yaml', '--merge'],
    ]) {
      const env = { OXHERD_DEBUG: '1', SOPS_AGE_KEY_FILE: `${folder.path}/keys.txt` };
      const { stdout, stderr } = await folder.run(['--lab', ...args], { env });
      expect(stdout + stderr, args.join(' ')).not.toBe('');
      expect(stdout + stderr, args.join(' ')).not.toContain(SECRET);
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings.join('\n')).not.toContain(SECRET);
  });
});
