/** What a real API server was asked and answered, and the tool that asks another one the same. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const recordedKubernetes = fileURLToPath(
  new URL('../../../recordings/fixtures/kubernetes/', import.meta.url),
);

export function replayKubernetes(args: readonly string[]): Promise<{ exit: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [`${recordedKubernetes}replay.mjs`, ...args]);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('close', (exit) => resolve({ exit, output }));
  });
}
