/** A process of the test's own for one command: its folder is also its home, and nobody sits at it. */
import { PassThrough } from 'node:stream';
import type { CliContext, GlobalOptions } from '../../../src/cli/context.js';

export interface TestContext {
  readonly context: CliContext;
  /** What was printed since the last look. */
  stdout(): string;
  stderr(): string;
}

export function testContext(folder: string, globals: Partial<GlobalOptions> = {}): TestContext {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const context: CliContext = {
    cwd: folder,
    env: { HOME: folder },
    stdin: new PassThrough(),
    stdout,
    stderr,
    globals: { config: 'oxherd.yaml', lab: false, faults: [], json: false, color: false, ...globals },
    commands: [],
    signal: new AbortController().signal,
    configPath: globals.config ?? 'oxherd.yaml',
    target: globals.lab ? { kind: 'lab' } : { kind: 'proxmox' },
    tell: ({ message }) => void stderr.write(`note ${message}\n`),
  };
  const text = (stream: PassThrough): string => String(stream.read() ?? '');
  return { context, stdout: () => text(stdout), stderr: () => text(stderr) };
}
