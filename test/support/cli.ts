/** The real command line, in this process or in one of its own, in a folder that goes away with the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { LAB_MARK, runApp } from '../../src/cli/app.js';
import { connectProxmox, type ProxmoxClient } from '../../src/clients/proxmox/client.js';
import { type Lab, startLab } from '../../src/lab/index.js';
import { labParts } from '../../src/lab/parts.js';
import { folderState } from '../../src/lab/state.js';
import type { LabTarget } from '../../src/session/context.js';

export interface CliResult {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly openLab?: LabTarget['open'];
  /** A terminal on which questions are answered: a part of the question → the keys that are typed, once. */
  readonly typed?: Readonly<Record<string, string>>;
  /** Told of each piece of text as it is printed. */
  readonly onPrint?: (text: string) => void;
  /** The same for what it says beside its output. */
  readonly onTell?: (text: string) => void;
}

export interface LabAccess {
  readonly lab: Lab;
  /** As root, past every guard of oxherd: what a person does by hand. */
  readonly hand: ProxmoxClient;
}

/** A file that commands wrote for the cluster of a folder's lab; there is one cluster in it. */
export function labFile(folder: string, ...path: string[]): string {
  const lab = join(folder, '.oxherd', 'lab');
  const [cluster = 'none'] = readdirSync(lab, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
    .map(({ name }) => name);
  return join(lab, cluster, ...path);
}

export class CliFolder {
  private constructor(readonly path: string) {}

  static make(config?: string): CliFolder {
    const folder = new CliFolder(mkdtempSync(join(tmpdir(), 'oxherd-cli-')));
    if (config !== undefined) folder.config = config;
    return folder;
  }

  /** Everything there is, lab and secrets included, in another folder. */
  copy(): CliFolder {
    const made = CliFolder.make();
    cpSync(this.path, made.path, { recursive: true });
    return made;
  }

  set config(text: string) {
    this.write('oxherd.yaml', text);
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  /** `oxherd ARGS…` in this process. */
  async run(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    const terminal = options.typed && typing(options.typed);
    const stdout = collector((text) => {
      options.onPrint?.(text);
      terminal?.see(text);
    });
    if (terminal) Object.assign(stdout.stream, { isTTY: true, columns: 120, rows: 40 });
    const stderr = collector(options.onTell);
    const exit = await runApp({
      argv: args,
      cwd: this.path,
      env: { HOME: this.path, ...options.env },
      stdin: terminal?.stdin ?? Readable.from([]),
      stdout: stdout.stream,
      stderr: stderr.stream,
      signal: options.signal ?? new AbortController().signal,
      version: '0.0.0-test',
      ...(options.openLab && { openLab: options.openLab }),
    });
    // The mark of the lab is on all of them, and has a test of its own.
    return { exit, stdout: stdout.text(), stderr: stderr.text().replace(LAB_MARK, '') };
  }

  lab(...args: string[]): Promise<CliResult> {
    return this.run(['--lab', ...args]);
  }

  /** The folder's lab, for a look and for changes by hand, while no command runs. */
  async withLab<T>(work: (access: LabAccess) => Promise<T>): Promise<T> {
    const lab = await startLab({
      state: await folderState(join(this.path, '.oxherd', 'lab')),
      parts: labParts(),
    });
    const hand = connectProxmox({
      endpoints: [lab.endpoint],
      token: lab.token,
      tls: { kind: 'fingerprint', sha256: lab.fingerprint },
      clock: lab.clock,
      random: () => 0.5,
    });
    try {
      return await work({ lab, hand });
    } finally {
      await hand.close();
      await lab.stop();
    }
  }

  /** `node dist/bin/oxherd.js ARGS…`, for what needs a process of its own. */
  spawn(args: readonly string[], options: CliOptions = {}): SpawnedCli {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: this.path,
      env: { PATH: process.env.PATH, HOME: this.path, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    const watchers: (() => void)[] = [];
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        output[name] += chunk;
        for (const watcher of watchers) watcher();
      });
    }
    const ended = new Promise<CliResult & { signal: NodeJS.Signals | null }>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ exit: code ?? -1, signal, ...output }));
    });
    const lines = (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => output.stdout.split('\n').length > count && resolve();
        watchers.push(look);
        look();
      });
    return { child, ended, printed: (count) => Promise.race([lines(count), ended.then(() => undefined)]) };
  }
}

function typing(typed: Readonly<Record<string, string>>): {
  stdin: PassThrough;
  see: (text: string) => void;
} {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const left = new Map(Object.entries(typed));
  return {
    stdin,
    see: (text) => {
      for (const [question, keys] of left) {
        // It is printed again whenever a key was read.
        if (!text.includes(question) || !left.delete(question)) continue;
        setImmediate(() => stdin.write(keys));
      }
    },
  };
}

export interface SpawnedCli {
  readonly child: ChildProcess;
  readonly ended: Promise<CliResult & { readonly signal: NodeJS.Signals | null }>;
  /** Once it has printed so many lines, or is over. */
  printed(lines: number): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../../dist/bin/oxherd.js', import.meta.url));

export function collector(onPrint: (text: string) => void = () => {}): {
  stream: Writable;
  text: () => string;
} {
  const chunks: string[] = [];
  const stream = new PassThrough();
  stream.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  // Written at once: what the command printed is there when it has ended.
  stream.write = ((chunk: string | Uint8Array) => {
    chunks.push(String(chunk));
    onPrint(String(chunk));
    return true;
  }) as Writable['write'];
  return { stream, text: () => chunks.join('') };
}

/** The output of a command that must end so; what it printed otherwise. */
export function ended(result: CliResult, exit = 0): string {
  if (result.exit !== exit)
    throw new Error(`exit ${result.exit}, expected ${exit}\n${result.stdout}${result.stderr}`);
  return result.stdout;
}
