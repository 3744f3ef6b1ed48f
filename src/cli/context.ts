/** What a command is given and what it must export; everything of the process comes in through here. */
import type { Readable, Writable } from 'node:stream';
import type { KubernetesKind } from '../model/kubernetes-kind.js';
import type { SessionContext } from '../session/context.js';
import type { CommandSpec } from './command-spec.js';

export const EXIT = {
  done: 0,
  failed: 1,
  changes: 2,
  unhealthy: 3,
  /** Nothing failed, and something in scope was not read. */
  incomplete: 4,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What `-c` is where no one gives it. */
export const DEFAULT_CONFIG = 'oxherd.yaml';

/** What goes to stderr while a command runs. */
export interface LogSettings {
  readonly format: 'text' | 'json';
  /** `error`: failures alone; `debug`: every request too. */
  readonly level: 'error' | 'info' | 'debug';
}

/** Flags that every command takes, before or after its name. */
export interface GlobalOptions {
  /** `oxherd.yaml`, a `.tfvars[.json]`, or a folder with `cluster.yaml` and `nodes.yaml`. */
  readonly config: string;
  readonly lab: boolean;
  readonly labProfile?: string;
  /** `simulated` or `real`; the lab decides where no one does. */
  readonly labKubernetes?: KubernetesKind;
  readonly faults: readonly string[];
  readonly json: boolean;
  readonly color: boolean;
  readonly log?: LogSettings;
  /** Plans with every step of every node. */
  readonly full?: boolean;
}

export interface CliContext extends SessionContext {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Writable & { isTTY?: boolean; columns?: number; rows?: number };
  readonly stderr: Writable & { isTTY?: boolean; columns?: number };
  readonly globals: GlobalOptions;
  /** All commands, for those that speak of the others. */
  readonly commands: readonly CommandSpec[];
  /** Aborted by the first Ctrl-C; the second one ends the process. */
  readonly signal: AbortSignal;
  /** Aborted once nothing reads stdout any more: commands that show something until Ctrl-C end then. */
  readonly outputClosed?: AbortSignal;
}

/** Ctrl-C at a question: the terminal gives it to the question, not to the process. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export interface CommandInput {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** What the module of a command exports. */
export interface CommandModule {
  run(context: CliContext, input: CommandInput): Promise<ExitCode>;
}
