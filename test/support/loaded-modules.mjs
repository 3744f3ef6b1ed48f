// For `node --import`: writes the URL of every module that the program loads to the file that LOADED_MODULES names.
import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';

const file = process.env.LOADED_MODULES;
if (!file) throw new Error('LOADED_MODULES names no file');

/** Modules of ES: the loader's own thread sees them. */
const hook = `
  import { appendFileSync } from 'node:fs';
  export async function load(url, context, next) {
    appendFileSync(${JSON.stringify(file)}, url + '\\n');
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

/** What is loaded by `require`, such as packages of CommonJS from one another. */
const require = createRequire(import.meta.url);
const known = new Set(Object.keys(require.cache));
process.on('exit', () => {
  const loaded = Object.keys(require.cache).filter((path) => !known.has(path));
  appendFileSync(file, loaded.map((path) => `file://${path}\n`).join(''));
});
