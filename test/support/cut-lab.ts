/** A lab whose Proxmox answers no more from the k-th write of a command on: the command was cut off there, for good. */
import { join } from 'node:path';
import { startLab } from '../../src/lab/index.js';
import { labParts } from '../../src/lab/parts.js';
import { folderState } from '../../src/lab/state.js';
import type { LabTarget } from '../../src/session/context.js';
import type { CliFolder } from './cli.js';
import type { Cut } from './crash.js';

interface CutLab {
  readonly open: NonNullable<LabTarget['open']>;
  /** False: the command had fewer requests. */
  isCut(): boolean;
}

/** `counts`: which requests are counted, by `METHOD /path`; the others pass until the cut. */
export function cutLab(
  folder: CliFolder,
  at: number,
  cut: Cut,
  counts: (request: string) => boolean,
): CutLab {
  let seen = -1;
  let isCut = false;
  const arrives = (request: string): boolean => {
    if (!isCut && counts(request)) {
      seen += 1;
      if (cut === 'before' && seen === at) isCut = true;
    }
    return isCut;
  };
  // Carried out, and the answer is never read.
  const leaves = (request: string): boolean => {
    if (cut === 'after' && counts(request) && seen >= at) isCut = true;
    return isCut;
  };
  return {
    isCut: () => isCut,
    open: async () => {
      const lab = await startLab({
        state: await folderState(join(folder.path, '.oxherd', 'lab')),
        parts: labParts(),
      });
      const { faults } = lab.core;
      const strikes = faults.strikes.bind(faults);
      Object.assign(faults, {
        strikes: (...asked: Parameters<typeof strikes>) => {
          const [name, request = ''] = asked;
          if (name === 'drop-before') return arrives(request);
          return name === 'drop-after' ? leaves(request) : strikes(...asked);
        },
      });
      return {
        connection: {
          endpoints: [lab.endpoint],
          token: lab.token,
          tls: { kind: 'fingerprint', sha256: lab.fingerprint },
        },
        clock: lab.clock,
        dial: (ip, port) => lab.dial(ip, port),
        close: () => lab.stop(),
      };
    },
  };
}
