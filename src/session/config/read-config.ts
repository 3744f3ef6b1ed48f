/** The config from disk: one file, variable files of Terraform, or a folder of the template. */
import { readdirSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import type { Diagnostic } from '../../config/diagnostics.js';
import type { NamedText } from '../../config/foreign/document.js';
import type { ForeignResult } from '../../config/foreign/finish.js';
import { loadTalconfig } from '../../config/from-talconfig/load.js';
import { loadTemplate } from '../../config/from-template/load.js';
import { loadTfvars } from '../../config/from-tfvars/load.js';
import { loadConfig } from '../../config/load.js';
import { decodeUtf8 } from '../../config/yaml/decode-text.js';
import { OxherdError } from '../../model/error.js';
import { MAX_FILE_BYTES, MAX_INCLUDED_BYTES, readFileLimited } from '../../secrets/read-file.js';
import type { SessionContext } from '../context.js';
import { configFiles } from './config-files.js';

export interface ReadResult extends ForeignResult {
  /** Folder of the config: secrets and `.oxherd` are beside it. */
  readonly directory: string;
}

/**
 * For `convert`: also a config of talhelper or topf. Other commands do not read those, because half of what oxherd needs
 * is not in them.
 */
export function readForeignConfig(context: Pick<SessionContext, 'cwd' | 'configPath'>): ReadResult {
  const result = readConfig(context);
  if (result.diagnostics[0]?.code !== 'config.other-tool') return result;
  const { cwd, configPath } = context;
  const { directory } = result;
  const path = resolve(cwd, configPath);
  const text = decodeUtf8(readBytes(path, configPath)) ?? '';
  const file = { path: configPath, name: relative(directory, path), text };
  const listFiles = (folder: string) => {
    try {
      return readdirSync(resolve(directory, folder));
    } catch {
      return [];
    }
  };
  return { directory, ...loadTalconfig({ file, readText: textsIn(directory), listFiles }) };
}

/** Problems of the content are diagnostics; a file that cannot be read is an error. */
export function readConfig(
  { cwd, configPath }: Pick<SessionContext, 'cwd' | 'configPath'>,
  options: ReadOptions = {},
): ReadResult {
  const files = configFiles(cwd, configPath);
  const paths =
    files.kind === 'tfvars'
      ? files.paths
      : files.kind === 'template'
        ? ['cluster.yaml', 'nodes.yaml'].map((name) => join(files.folder, name))
        : [files.path];
  const directory = dirname(resolve(cwd, paths[0] ?? configPath));
  const texts: NamedText[] = [];
  for (const path of paths) {
    const text = decodeUtf8(readBytes(resolve(cwd, path), path));
    if (text === undefined) return { directory, diagnostics: [notUtf8(path)] };
    texts.push({ path, name: relative(directory, resolve(cwd, path)), text });
  }
  return { directory, ...load(files.kind, texts, textsIn(directory, options)) };
}

export interface ReadOptions {
  /** The config comes from another computer: files outside of its folder are not read for it. */
  readonly confined?: boolean;
}

/** Files that a config names, by their paths beside it. */
export function textsIn(
  directory: string,
  { confined = false }: ReadOptions = {},
): (name: string) => string | undefined {
  return (name) => {
    if (confined && isOutside(name)) throw outside(name);
    try {
      return decodeUtf8(readFileLimited(resolve(directory, name), MAX_INCLUDED_BYTES));
    } catch (error) {
      if (error instanceof OxherdError) throw error;
      return undefined;
    }
  };
}

/** Absolute, or up and out of the folder. */
export function isOutside(path: string): boolean {
  return isAbsolute(path) || normalize(path).split(sep)[0] === '..';
}

export function outside(name: string): OxherdError {
  return new OxherdError('config.outside', `${name} is outside of the folder of the config`, {
    advice: 'put the file beside the config, and name it by a path relative to it',
  });
}

function load(
  kind: ReturnType<typeof configFiles>['kind'],
  texts: readonly NamedText[],
  readText: (name: string) => string | undefined,
): ForeignResult {
  const [first, second] = texts;
  if (kind === 'tfvars') return loadTfvars({ files: texts, readText });
  if (kind === 'template' && first && second)
    return loadTemplate({ cluster: first, nodes: second, readText });
  return loadConfig({ path: first?.path ?? '', text: first?.text ?? '', readText });
}

function readBytes(path: string, shown: string): Uint8Array {
  try {
    return readFileLimited(path, MAX_FILE_BYTES);
  } catch (error) {
    if (error instanceof OxherdError)
      throw new OxherdError('config.too-large', `${shown} is too large for a config`, { where: path });
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const message =
      code === 'ENOENT'
        ? `there is no ${shown}`
        : code === 'EISDIR'
          ? `${shown} is a folder`
          : `${shown} cannot be read (${String(code)})`;
    throw new OxherdError('config.unreadable', message, {
      where: path,
      advice:
        code === 'ENOENT'
          ? 'write one with `oxherd init`, or name it with `-c FILE`'
          : 'name a file with `-c FILE`',
      cause: error,
    });
  }
}

function notUtf8(file: string): Diagnostic {
  return {
    severity: 'error',
    code: 'yaml.encoding',
    message: 'the file is not UTF-8 text',
    hint: 'save it as UTF-8',
    file,
    line: 1,
    column: 1,
    frame: '',
  };
}
