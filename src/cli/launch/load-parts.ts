/** Loads the parts of the package as Node would, but with their compiled form where it was kept. */
import { isAscii } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { readCode, readUses, writeCode, writeUses } from './kept-code.js';

interface Part {
  readonly name: string;
  readonly source: Buffer;
  readonly script: Script;
  readonly kept: boolean;
}

type Wrapped = (exports: unknown, require: unknown, module: unknown, file: string, folder: string) => void;

interface Parts {
  load(path: string): unknown;
  /** Keeps what was compiled, for the next command. */
  keep(): void;
}

/** V8 forgets of code that was kept how it imports; parts ask for this instead (scripts/build/bundle.mjs). */
const importPackage = (id: string): Promise<unknown> => import(id);

/** Parts are written in ASCII, which need not be decoded. */
const textOf = (source: Buffer): string => source.toString(isAscii(source) ? 'latin1' : 'utf8');

/**
 * `folder`: where compiled code is kept; `undefined`: nowhere. `use`: what the program is started for. Functions are compiled
 * when they are called, so that with every new use more is kept.
 */
export function partsWith(folder: string | undefined, use: string): Parts {
  const loaded = new Map<string, { exports: unknown }>();
  const parts: Part[] = [];

  const compile = (path: string, name: string, source: Buffer): Wrapped => {
    const cachedData = folder === undefined ? undefined : readCode(folder, name, source);
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) {${textOf(source)}\n})`,
      {
        filename: path,
        ...(cachedData && { cachedData }),
      },
    );
    const kept = cachedData !== undefined && script.cachedDataRejected !== true;
    parts.push({ name, source, script, kept });
    return script.runInThisContext() as Wrapped;
  };

  const load = (path: string): unknown => {
    const known = loaded.get(path);
    if (known) return known.exports;
    const folderOf = dirname(path);
    const others = createRequire(path);
    const own = (id: string) => (id.startsWith('./') ? load(join(folderOf, id)) : others(id));
    const require = Object.assign(own, { import: importPackage });
    const execute = (name: string, source: Buffer) =>
      compile(path, name, source)(module.exports, require, module, path, folderOf);
    const module = {
      exports: {},
      // As Node's own: a part that lies there compressed hands over what it is.
      _compile: (source: string) => execute(`${basename(path)}.whole`, Buffer.from(source)),
    };
    loaded.set(path, module);
    execute(basename(path), readFileSync(path));
    return module.exports;
  };

  return {
    load,
    keep() {
      if (folder === undefined) return;
      const uses = readUses(folder);
      const isNew = !uses.includes(use);
      for (const { name, source, script, kept } of parts)
        if (isNew || !kept) writeCode(folder, name, { source, data: script.createCachedData() });
      if (isNew) writeUses(folder, [...uses, use]);
    },
  };
}
