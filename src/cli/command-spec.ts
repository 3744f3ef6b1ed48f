/** A command as data: read for parsing, help, completion and the docs, without loading what it does. */
import type { CommandModule } from './context.js';

export interface OptionSpec {
  /** As commander takes it: `-y, --yes`, `--out <file>`, `--only <node...>` */
  readonly flags: string;
  readonly description: string;
  readonly default?: string | number | boolean;
  readonly choices?: readonly string[];
  /** Each time it is given adds one. */
  readonly repeated?: boolean;
  /** Names of the config that it takes, for completion. */
  readonly names?: ConfigNames;
}

/** Nodes, data volumes and Proxmox hosts, as the config names them. */
export type ConfigNames = 'nodes' | 'volumes' | 'hosts';

interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  /** What it may be, where that is a short list. */
  readonly choices?: readonly string[];
  readonly names?: ConfigNames;
}

export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** More than the summary, for `--help`. */
  readonly details?: string;
  /** As commander takes them: `[plan]`, `<node...>` */
  readonly args?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** What `--json` prints; absent: the events of a run, one per line, where it makes one. */
  readonly json?: string;
  /** Exit codes beside 0, 1 and 130, and when. */
  readonly exits?: Readonly<Record<number, string>>;
  readonly examples: readonly { readonly command: string; readonly does: string }[];
  readonly children?: readonly CommandSpec[];
}

/** A command and how to load what it does. */
export interface LoadableCommand extends CommandSpec {
  readonly children?: readonly LoadableCommand[];
  readonly load?: () => Promise<CommandModule>;
}
