/** The files of an export: written below the folder that `--out` names, and told. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { OxherdError } from '../model/error.js';
import { replacePrivateFile } from '../secrets/private-file.js';
import type { CliContext, CommandInput } from './context.js';

interface ExportedFile {
  /** With slashes, relative to the folder. */
  readonly name: string;
  readonly text: string;
  /** For its owner alone. */
  readonly secret?: boolean;
}

/** `more` goes into the JSON document. */
export async function writeExport(
  context: CliContext,
  { options }: CommandInput,
  files: readonly ExportedFile[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const shown = String(options.out ?? '.');
  const folder = resolve(context.cwd, shown);
  try {
    // A folder that holds nothing but secrets is made private with the first of them.
    if (!files.every(({ secret }) => secret)) mkdirSync(folder, { recursive: true });
    for (const file of files) await write(join(folder, file.name), file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OxherdError('export.unwritable', `cannot write to ${shown}: ${reason}`, {
      where: folder,
      advice: 'name a folder that can be written to with `--out DIR`',
      cause,
    });
  }
  if (context.globals.json) {
    const document = { directory: folder, files: files.map(({ name }) => name), ...more };
    context.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  } else {
    context.stdout.write(`wrote ${files.length} ${files.length === 1 ? 'file' : 'files'} to ${shown}\n`);
  }
}

async function write(path: string, { text, secret }: ExportedFile): Promise<void> {
  if (secret) return replacePrivateFile(path, text);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
