// Modules that the bundle holds in a smaller form: what is never used is left out, tables of data are compressed.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';

/** Tables whose text is several times as large as its compressed form; everything they export is plain data. */
const TABLES = [
  'lab/proxmox/gen/schema.js',
  'lab/kubernetes/gen/fields.js',
  'lab/talos/services/component-flags.js',
  'lab/talos/state/kind-table.js',
  'formats/gen/talos-shapes.js',
];

/** undici without its fetch, WebSocket, cache and mock: the command and the clients use these four alone. */
const UNDICI = `
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import send from 'undici/lib/api/api-request.js';
Dispatcher.prototype.request = send;
export function request(url, options) {
  const { origin, pathname, search } = new URL(url);
  if (!options?.dispatcher) throw new Error('request needs a dispatcher here');
  return send.call(options.dispatcher, {
    ...options,
    origin,
    path: pathname + search,
    method: options.method || (options.body ? 'PUT' : 'GET'),
  });
}
`;
/** Only a FormData as a body would need it. */
const NO_FORM_DATA = `exports.extractBody = () => { throw new Error('a FormData body is not supported') };`;
/** Proxmox and its like are asked over HTTP/1.1. */
const NO_HTTP_2 = `module.exports = () => { throw new Error('HTTP/2 is not supported') };`;
const NO_PLAIN_PARSER = `throw new Error('this processor has no SIMD');`;
/** Schemas are written as JSON Schema, never read from it. */
const NO_JSON_SCHEMA_READER = `export const fromJSONSchema = () => { throw new Error('not supported') };`;
/** Parsers are not compiled ahead of time. */
const NO_ZOD_COMPILER = `
export const INVALID = Symbol.for('zod.compile.invalid');
export class ZodCompileAsyncError extends Error {}
export class ZodCompileUnsupportedError extends Error {}
export const compile = () => { throw new Error('not supported') };
export { compile as withParser, compile as compileFn };
`;
/** Node's own hash is many times as fast as one in JavaScript that runs for the first time. */
const NATIVE_HASH = `
import { hash } from 'node:crypto';
export const sha256Hex = (text) => hash('sha256', text);
export const hashParts = (parts) =>
  sha256Hex(parts.map((part) => \`\${Buffer.byteLength(part)}:\${part}\`).join(''));
`;
/** Messages of zod in English alone. */
const ENGLISH = `export { default as en } from 'zod/v4/locales/en.js';`;

/** Folders of commands that are seldom called: one part of the bundle each, not one for every command. */
const TOGETHER = ['etcd', 'export', 'fleet', 'host', 'lab', 'runs', 'secrets', 'shell', 'volumes'];
const COMMAND = /import\('(\.\.\/commands\/(\w+)\/([\w-]+)\.js)'\)/g;

/** The table of commands with its texts compressed and one import per folder, and the modules that are imported. */
async function commandsByFolder(tablePath, packed) {
  const { COMMANDS } = await import(pathToFileURL(tablePath).href);
  const folders = new Map(TOGETHER.map((folder) => [folder, []]));
  const loads = [...readFileSync(tablePath, 'utf8').matchAll(COMMAND)].map(
    ([whole, path, folder, command]) => {
      const commands = folders.get(folder);
      if (!commands) return `() => ${whole}`;
      commands.push(`export * as ${nameOf(command)} from '${path}';`);
      return `() => import('\\0commands/${folder}').then((all) => all.${nameOf(command)})`;
    },
  );
  // In the order of the text: a command that can be loaded takes the next one.
  let count = 0;
  const text = JSON.stringify(COMMANDS, (_, value) => (typeof value === 'function' ? count++ : value));
  if (count !== loads.length) throw new Error('the table of commands is not written as it is expected here');
  const code = [
    `import { unpack } from '${UNPACK}';`,
    `const loads = [${loads.join(',')}];`,
    `const table = ${packed.add(Buffer.from(text))}.toString();`,
    "export const COMMANDS = JSON.parse(table, (key, value) => (key === 'load' ? loads[value] : value));",
  ].join('\n');
  return { code, modules: [...folders].map(([folder, lines]) => [`\0commands/${folder}`, lines.join('\n')]) };
}

const nameOf = (command) => `$${command.replaceAll('-', '_')}`;

/** What is compressed lies in a file beside the parts. */
const UNPACK = '\0unpack';
const PACKED_FILE = 'packed.bin';
const UNPACK_CODE = `
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
let all;
export function unpack(start, end) {
  all ??= readFileSync(new URL('./${PACKED_FILE}', import.meta.url));
  return brotliDecompressSync(all.subarray(start, end));
}
`;

class Packed {
  bytes = Buffer.alloc(0);

  /** Code that gives the bytes back. */
  add(bytes) {
    const start = this.bytes.length;
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    this.bytes = Buffer.concat([this.bytes, brotliCompressSync(bytes, { params })]);
    return `unpack(${start}, ${this.bytes.length})`;
  }
}

export async function smallerModules(modules) {
  const packed = new Packed();
  const tablePath = join(modules, 'cli/gen/command-table.js');
  const hashPath = join(modules, 'formats/text/hash.js');
  const table = await commandsByFolder(tablePath, packed);
  const generated = new Map([
    ...table.modules,
    ['\0undici', UNDICI],
    [UNPACK, UNPACK_CODE],
    ['\0zod-locales', ENGLISH],
  ]);
  // What Node is given of it is CommonJS, of which nothing can be left out.
  const yamlModules = join(dirname(createRequire(tablePath).resolve('yaml')), '../browser/dist/index.js');
  const tables = new Map(TABLES.map((name) => [join(modules, name), name]));
  return {
    name: 'smaller-modules',
    async resolveId(source, importer = '') {
      if (source === 'undici') return '\0undici';
      if (source === 'yaml') return yamlModules;
      if (source.endsWith('locales/index.js') && importer.includes('/zod/')) return '\0zod-locales';
      if (generated.has(source)) return source;
      if (importer.startsWith('\0commands/')) return this.resolve(source, tablePath);
      if (generated.has(importer)) return this.resolve(source, join(modules, 'index.js'));
      return undefined;
    },
    async load(id) {
      if (generated.has(id)) return generated.get(id);
      if (id === tablePath) return table.code;
      if (id === hashPath) return NATIVE_HASH;
      if (id.endsWith('/undici/lib/web/fetch/body.js')) return NO_FORM_DATA;
      if (id.endsWith('/zod/v4/classic/from-json-schema.js')) return NO_JSON_SCHEMA_READER;
      if (id.endsWith('/zod/v4/core/compile.js')) return NO_ZOD_COMPILER;
      if (id.endsWith('/undici/lib/dispatcher/client-h2.js')) return NO_HTTP_2;
      if (id.endsWith('/undici/lib/llhttp/constants.js')) return parserConstants(id);
      // Every processor that Node 20 runs on has SIMD: the parser without it is never reached.
      if (id.endsWith('/undici/lib/llhttp/llhttp-wasm.js')) return NO_PLAIN_PARSER;
      if (/\/undici\/lib\/llhttp\/llhttp\w*-wasm\.js$/.test(id)) return compressedWasm(id, packed);
      return tables.has(id) ? compressedTable(id, packed) : undefined;
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: `parts/${PACKED_FILE}`, source: packed.bytes });
    },
  };
}

/** Of a parser's many names those that are asked for. */
function parserConstants(path) {
  const { TYPE, ERROR } = createRequire(path)(path);
  return `exports.TYPE = ${JSON.stringify(TYPE)}; exports.ERROR = ${JSON.stringify(ERROR)};`;
}

async function compressedTable(path, packed) {
  const found = await import(pathToFileURL(path).href);
  const values = Object.entries(found).map(([name, value]) => {
    const isMap = value instanceof Map;
    const plain = isMap ? [...value] : value;
    const text = JSON.stringify(plain);
    if (!isDeepStrictEqual(JSON.parse(text), plain))
      throw new Error(`${path}: ${name} is more than plain data`);
    const data = `JSON.parse(${packed.add(Buffer.from(text))}.toString())`;
    return `export const ${name} = ${isMap ? `new Map(${data})` : data};`;
  });
  return [`import { unpack } from '${UNPACK}';`, ...values].join('\n');
}

function compressedWasm(path, packed) {
  const [, base64] = /wasmBase64 = '([^']+)'/.exec(readFileSync(path, 'utf8')) ?? [];
  if (base64 === undefined) throw new Error(`${path} of ${dirname(path)} holds no WebAssembly`);
  return `const { unpack } = require('${UNPACK}');
let found;
Object.defineProperty(module, 'exports', {
  get: () => (found ??= ${packed.add(Buffer.from(base64, 'base64'))}),
});`;
}
