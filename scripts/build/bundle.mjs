// The command and the library as a few files that share what they have in common; what a command imports only when it
// needs it stays apart. Node takes longer to find and load six hundred modules than to run a plan. All parts are CommonJS,
// whose compiled form can be kept (src/cli/launch); programs import the library through a module that names its exports.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { rolldown } from 'rolldown';
import { layerGroups } from './layers.mjs';
import { smallerModules } from './smaller-modules.mjs';

/** What programs import, by its place in the package. */
export const LIBRARY = {
  index: 'index.js',
  'lab/index': 'lab/index.js',
  'clients/proxmox/index': 'clients/proxmox/index.js',
  'clients/talos/index': 'clients/talos/index.js',
};
/** Parts that are started by name. */
const STARTED = { main: 'cli/main.js', 'case-thread': 'session/rehearse/chaos/case-thread.js' };

/** Writes the bundle of `modules` (what tsc wrote) to `out`; the answer names the packages that went into it. */
export async function bundle(modules, out, external) {
  const library = Object.entries(LIBRARY).map(([name, path]) => [partOf(name), path]);
  const input = Object.fromEntries(
    [...library, ...Object.entries(STARTED)].map(([name, path]) => [name, join(modules, path)]),
  );
  const build = await rolldown({
    input,
    platform: 'node',
    // Packages without an exports map: their modules can be shaken, their CommonJS cannot.
    resolve: { mainFields: ['module', 'main'] },
    external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
    preserveEntrySignatures: 'allow-extension',
    plugins: [await smallerModules(modules), smallerParts],
    logLevel: 'warn',
    // Parts of a layer that are imported late elsewhere are in its file all the same.
    onLog: (level, log, tell) => (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT' ? undefined : tell(level, log)),
  });
  const { output } = await build.write({
    dir: out,
    format: 'cjs',
    minify: true,
    comments: false,
    entryFileNames: 'parts/[name].cjs',
    chunkFileNames: 'parts/[name]-[hash].cjs',
    codeSplitting: { includeDependenciesRecursively: false, groups: layerGroups(modules) },
  });
  await build.close();
  compress(join(out, 'parts/lab.cjs'));
  await writeLibrary(modules, out);
  await writeCommand(modules, out);
  const inputs = output.flatMap(({ modules: parts = {} }) => Object.keys(parts));
  return new Set(inputs.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
}

const EXPORT =
  /Object\.defineProperty\(exports,("[^"]+"),\{enumerable:!0,get:function\(\)\{return ([\w$.]+)\}\}\)/;
const EXPORTS = new RegExp(`${EXPORT.source}(?:[,;]${EXPORT.source})*`, 'g');

/** Code that was kept cannot import by itself: the launcher does it for the parts that it has loaded. */
const LATE_PACKAGE = /\bimport\((`[^`]+`|"[^"]+")\)/g;

/** Hundreds of getters are written as one table; text in ASCII alone takes half the memory. */
const smallerParts = {
  name: 'smaller-parts',
  generateBundle(_, output) {
    for (const part of Object.values(output))
      part.code &&= part.code
        .replace(EXPORTS, exportTable)
        .replace(LATE_PACKAGE, `(require.import??(e=>import(e)))($1)`)
        .replace(/[\u0080-\uffff]/g, escaped);
  },
};

const escaped = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

function exportTable(text) {
  const all = [...text.matchAll(new RegExp(EXPORT, 'g'))].map(([, name, value]) => `${name}:()=>${value}`);
  return `(e=>{for(let n in e)Object.defineProperty(exports,n,{enumerable:!0,get:e[n]})})({${all.join()}})`;
}

/** The lab is a third of the program and seldom needed: its part holds its code compressed. */
function compress(path) {
  const code = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: code.length };
  writeFileSync(`${path}.br`, brotliCompressSync(code, { params }));
  const read =
    "require('node:zlib').brotliDecompressSync(require('node:fs').readFileSync(__filename + '.br'))";
  writeFileSync(path, `module._compile(${read}.toString(), __filename);\n`);
}

const partOf = (name) => name.replace('/index', '').replace('/', '-');

async function writeLibrary(modules, out) {
  for (const [name, path] of Object.entries(LIBRARY)) {
    const names = Object.keys(await import(pathToFileURL(join(modules, path))));
    const up = '../'.repeat(name.split('/').length - 1) || './';
    const text = `import all from '${up}parts/${partOf(name)}.cjs';\nexport const { ${names.join(', ')} } = all;\n`;
    mkdirSync(join(out, dirname(name)), { recursive: true });
    writeFileSync(join(out, `${name}.js`), text);
  }
}

/** The command in a file of its own that loads the parts. */
async function writeCommand(modules, out) {
  const build = await rolldown({ input: join(modules, 'cli/launch/launch.js'), platform: 'node' });
  const file = join(out, 'bin/oxherd.js');
  await build.write({ file, format: 'cjs', minify: true, comments: false, banner: '#!/usr/bin/env node' });
  await build.close();
  writeFileSync(join(out, 'bin/package.json'), '{"type":"commonjs"}\n');
}
