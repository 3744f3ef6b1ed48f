#!/usr/bin/env node
import { createRequire } from 'node:module';
import { runApp } from './app.js';
import { EXIT } from './context.js';

const interrupt = new AbortController();
process.on('SIGINT', () => stop('SIGINT'));
process.on('SIGTERM', () => stop('SIGTERM'));

function stop(signal: string): void {
  if (interrupt.signal.aborted) process.exit(EXIT.interrupted);
  interrupt.abort(new Error(`interrupted by ${signal}`));
}

// A reader that goes away (`oxherd plan | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

process.exitCode = await runApp({
  argv: process.argv.slice(2),
  cwd: process.cwd(),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interrupt.signal,
  version,
});
