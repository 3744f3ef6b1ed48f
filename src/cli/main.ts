/** The command as a process: signals, streams, errors that nothing caught, and the exit code around `runApp`. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { redactText } from '../formats/redact/redact-text.js';
import { UncaughtError } from '../model/uncaught-error.js';
import { runApp } from './app.js';
import { EXIT } from './context.js';
import { keepGoing } from './output.js';

const interrupt = new AbortController();
/**
 * A service manager kills what has not ended in time: the run is given most of a second to save and to unlock. A controller is
 * given what its pod has, so that its runs come to a safe end and their leases are handed over.
 */
const TERMINATION_MS = process.argv.includes('controller') ? 50_000 : 600;
let terminated = false;
/** Undefined while the command runs. */
let exit: number | undefined;
process.on('SIGINT', () => stop('SIGINT'));
process.on('SIGTERM', () => {
  // What was told to stop and did, such as a lab that served, has done its job.
  if (terminated && exit !== 0) endBy('SIGTERM');
  terminated = true;
  setTimeout(() => endBy('SIGTERM'), TERMINATION_MS).unref();
  // After Ctrl-C the run is ending already; now it has a time to do so in.
  if (!interrupt.signal.aborted) stop('SIGTERM');
});

function stop(signal: NodeJS.Signals): void {
  if (interrupt.signal.aborted) endBy(signal);
  else interrupt.abort(new Error(`interrupted by ${signal}`));
}

/**
 * At once: `process.exit` waits for the threads, and one that makes an RSA key takes seconds. What the run did is in its
 * journal, and its lock is that of a dead process.
 */
function endBy(signal: NodeJS.Signals): void {
  exit ??= EXIT.failed;
  // A signal ends a process without a word to those who remove what must not stay.
  process.emit('exit', 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** How long requests in flight may take after an error that nothing caught: whatever waited for one may never hear of it. */
const CRASH_MS = 300_000;
const LEFT_BEHIND =
  'the cluster may still be locked: the next run on this computer takes over the lock of an ended process; from another computer run `oxherd unlock` first';

/** As at the first Ctrl-C, but the command fails. Rejections that nothing handles arrive here too. */
process.on('uncaughtException', (cause) => {
  if (interrupt.signal.aborted) return;
  const error = new UncaughtError(cause);
  say(`${error.message}\nStopping: waiting for requests in flight. Ctrl-C ends at once.`);
  interrupt.abort(error);
  setTimeout(() => {
    say(`error the run did not end within ${CRASH_MS / 60_000} minutes\nnext  ${LEFT_BEHIND}`);
    exit = EXIT.failed;
    process.exit(exit);
  }, CRASH_MS).unref();
});

/** The command waits for something that can no longer happen. */
process.on('exit', () => {
  if (exit !== undefined) return;
  say(`error oxherd ended before its command did: this is a bug, please report it\nnext  ${LEFT_BEHIND}`);
});

function say(text: string): void {
  process.stderr.write(`${redactText(text)}\n`);
}

const outputs = keepGoing(process);

/** `main` is two folders below it, as a module and as a part of the package. */
function packageVersion(): string {
  const path = join(dirname(fileURLToPath(import.meta.url)), '../../package.json');
  const { version }: { version?: unknown } = JSON.parse(readFileSync(path, 'utf8'));
  return String(version);
}

async function main(): Promise<void> {
  // Until the command has said otherwise.
  process.exitCode = EXIT.failed;
  const ended = await runApp({
    argv: process.argv.slice(2),
    cwd: process.cwd(),
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: interrupt.signal,
    outputClosed: outputs.closed,
    version: packageVersion(),
  });
  const lost = outputs.lost();
  if (lost) say(`error ${lost.message}\nnext  ${lost.advice}`);
  exit = lost && (ended === EXIT.done || ended === EXIT.changes) ? EXIT.failed : ended;
  process.exitCode = exit;
  // What was told to stop and did, such as a lab that served, has done its job.
  if (terminated && exit !== 0) endBy('SIGTERM');
}

void main();
