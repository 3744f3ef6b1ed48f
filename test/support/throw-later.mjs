/**
 * Preloaded into the process of a command with `node --import`: an error that nothing catches, once the command has printed
 * as many lines as `THROW_AFTER_LINES` says. `THROW_AS`: `error` or `rejection`; `stuck` also never answers a wait again.
 */
const after = Number(process.env.THROW_AFTER_LINES);
const how = process.env.THROW_AS;
const write = process.stdout.write.bind(process.stdout);
let lines = 0;

process.stdout.write = (chunk, ...rest) => {
  const before = lines;
  lines += String(chunk).split('\n').length - 1;
  if (before < after && lines >= after) setImmediate(strike);
  return write(chunk, ...rest);
};

function strike() {
  if (how === 'rejection') {
    void Promise.reject(new Error('planted by the test'));
    return;
  }
  if (how === 'stuck') {
    // Minutes pass at once, and nothing else does.
    const { setTimeout: real } = globalThis;
    globalThis.setTimeout = (work, ms, ...args) => real(work, ms > 60_000 ? 1_000 : 1e9, ...args);
    globalThis.setImmediate = () => real(() => {}, 1e9);
  }
  throw new Error('planted by the test');
}
