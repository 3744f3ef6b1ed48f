/** The lab of `--lab`: in this process, its state in `.oxherd/lab`, its time driven by whoever waits. */
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { FAULTS, type Fault, parseFault } from '../lab/faults.js';
import { startLab } from '../lab/index.js';
import { labParts } from '../lab/parts.js';
import { folderState } from '../lab/state.js';
import { OxherdError } from '../model/error.js';
import type { CliContext } from './context.js';
import { worldOf } from './lab-world.js';

export async function openLab(context: CliContext, config: Config) {
  const faults = context.globals.faults.map(readFault);
  const state = await folderState(join(context.cwd, '.oxherd', 'lab'));
  const lab = await startLab({ state, world: worldOf(config), faults, parts: labParts() });
  return {
    connection: {
      endpoints: [lab.endpoint],
      token: lab.token,
      tls: { kind: 'fingerprint' as const, sha256: lab.fingerprint },
    },
    clock: lab.clock,
    dial: (ip: string, port: number) => lab.dial(ip, port),
    close: () => lab.stop(),
  };
}

function readFault(text: string): Fault {
  const fault = parseFault(text);
  if (fault) return fault;
  throw new OxherdError('lab.fault', `there is no fault ${text}`, {
    advice: `faults are: ${Object.keys(FAULTS).join(', ')}`,
  });
}
