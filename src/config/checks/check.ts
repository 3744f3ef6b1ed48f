/** What a check is given, and what it needs to be meaningful. */
import type { Config } from '../config.js';
import type { Report } from '../report.js';
import type { NodeOrigins } from '../resolve/nodes.js';
import type { ConfigFile } from '../schema/file.js';

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
