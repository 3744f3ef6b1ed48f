/** Loads the parts of the package as Node would, but with their compiled form where it was kept. */
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

/**
 * `folder`: where compiled code is kept; `undefined`: nowhere. `use`: what the program is started for. Functions are compiled
 * when they are called, so that with every new use more is kept.
 */
export function partsWith(folder: string | undefined, use: string): Parts {
  const loaded = new Map<string, { exports: unknown }>();
  const parts: Part[] = [];

  const compile = (path: string): Script => {
    const name = basename(path);
    const source = readFileSync(path);
    const cachedData = folder === undefined ? undefined : readCode(folder, name, source);
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) {${source.toString()}\n})`,
      {
        filename: path,
        ...(cachedData && { cachedData }),
      },
    );
    const kept = cachedData !== undefined && script.cachedDataRejected !== true;
    parts.push({ name, source, script, kept });
    return script;
  };

  const load = (path: string): unknown => {
    const known = loaded.get(path);
    if (known) return known.exports;
    const module = { exports: {} };
    loaded.set(path, module);
    const folderOf = dirname(path);
    const others = createRequire(path);
    const own = (id: string) => (id.startsWith('./') ? load(join(folderOf, id)) : others(id));
    const require = Object.assign(own, { import: importPackage });
    const run = compile(path).runInThisContext() as Wrapped;
    run(module.exports, require, module, path, folderOf);
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
