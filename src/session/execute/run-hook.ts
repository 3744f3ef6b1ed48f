/** A command of the user's own, run by the shell; what it prints is passed on line by line. */
import { spawn } from 'node:child_process';
import { OxherdError } from '../../model/error.js';
import type { SessionContext } from '../context.js';

interface Hook {
  /** Key of the config, for messages. */
  readonly key: string;
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

export async function runHook({ cwd, env, signal, tell }: SessionContext, hook: Hook): Promise<void> {
  const child = spawn('/bin/sh', ['-c', hook.command], {
    cwd,
    env: { ...env, ...hook.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let rest = '';
  const pass = (chunk: Buffer): void => {
    const lines = `${rest}${chunk.toString('utf8')}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) tell({ kind: 'progress', message: `${hook.key}: ${line}` });
  };
  child.stdout.on('data', pass);
  child.stderr.on('data', pass);
  const ended = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, by) => resolve(code ?? by ?? 'a signal'));
  });
  if (rest !== '') tell({ kind: 'progress', message: `${hook.key}: ${rest}` });
  if (ended === 0) return;
  throw new OxherdError('host.hook', `${hook.key} ended with ${ended}`, {
    advice: 'put that right, then run the same command again',
  });
}
