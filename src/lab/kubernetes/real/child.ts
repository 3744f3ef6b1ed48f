import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

/**
 * Runs a program until its standard input ends, which it does when this process goes, however it goes: a killed lab
 * leaves nothing behind.
 */
const GUARD = `
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
( cat <&3 >/dev/null; kill -TERM $child; sleep 5; kill -KILL $child ) 2>/dev/null &
guard=$!
exec 3<&-
wait $child
code=$?
kill $guard 2>/dev/null
exit $code
`;

export interface Child {
  /** Settles when the program has ended, by itself or because it was told to. */
  readonly ended: Promise<void>;
  readonly running: boolean;
  /** The end of what it wrote. */
  failingServiceLog(): string;
  stop(): Promise<void>;
}

export function startChild(program: string, args: readonly string[], logFile: string): Child {
  const log = openSync(logFile, 'w', 0o600);
  // A group of its own: Ctrl-C is for the lab, which ends its children in order.
  const child: ChildProcess = spawn('/bin/sh', ['-c', GUARD, 'guard', program, ...args], {
    stdio: ['pipe', log, log],
    detached: true,
  });
  closeSync(log);
  child.stdin?.on('error', () => {});
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  return {
    ended,
    get running() {
      return child.exitCode === null && child.signalCode === null;
    },
    failingServiceLog: () => readFileSync(logFile, 'utf8').split('\n').slice(-6).join('\n').trim(),
    stop() {
      child.stdin?.end();
      return ended;
    },
  };
}
