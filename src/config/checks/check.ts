/** What a check is given, and what it needs to be meaningful. */
import type { Config, NodeConfig } from '../config.js';
import type { Fragment } from '../config-values.js';
import type { Problem, Report } from '../report.js';
import type { NodeOrigin, NodeOrigins } from '../resolve/nodes.js';
import type { ConfigFile } from '../schema/file.js';
import type { Path } from '../yaml/position.js';

export interface CheckInput {
  readonly config: Config;
  /** What was written, where a check asks whether something was. */
  readonly file: ConfigFile;
  readonly origins: NodeOrigins;
  readonly report: Report;
}

export interface Check {
  /** Values that must have been read well; `nodes` and `volumes` stand for all of their entries. */
  readonly needs: readonly string[];
  run(input: CheckInput): void;
}

const NOWHERE: NodeOrigin = { path: ['nodes'], levels: [], grouped: false };

export function originOf({ origins }: CheckInput, node: NodeConfig): NodeOrigin {
  return origins.get(node) ?? NOWHERE;
}

/** Says a problem of a group once: the first node that has it speaks for the others. */
export class OncePerEntry {
  readonly #said = new Set<string>();

  constructor(private readonly report: Report) {}

  error(entry: Path, problem: Problem): void {
    if (this.#isFirst(entry, problem)) this.report.error(problem);
  }

  warning(entry: Path, problem: Problem): void {
    if (this.#isFirst(entry, problem)) this.report.warning(problem);
  }

  #isFirst(entry: Path, { code }: Problem): boolean {
    const key = JSON.stringify([entry, code]);
    if (this.#said.has(key)) return false;
    this.#said.add(key);
    return true;
  }
}

/** Whether a schematic names an extension, whichever way it is written there. */
export function hasExtension({ customization }: Fragment, name: RegExp): boolean {
  if (typeof customization !== 'object' || customization === null) return false;
  return JSON.stringify(customization)
    .split('"')
    .some((text) => name.test(text));
}
