/** Switches a named fault of the lab, whether it serves at this moment or not. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findServingLab } from '../../lab/control.js';
import { createFaults, FAULTS, parseFault } from '../../lab/faults.js';
import { folderState } from '../../lab/state.js';
import { OxherdError } from '../../model/error.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const [text = '', word = ''] = input.args;
  const fault = parseFault(text);
  if (!fault) {
    throw new OxherdError('lab.fault', `there is no fault ${text}`, {
      advice: `faults are: ${Object.keys(FAULTS).join(', ')}`,
    });
  }
  if (word !== 'on' && word !== 'off') {
    throw new OxherdError('lab.fault', `a fault is switched on or off, not ${word || 'nothing'}`, {
      advice: `oxherd lab fault ${text} on`,
    });
  }
  const folder = resolve(context.cwd, String(input.options.state ?? '.oxherd/lab'));
  const on = word === 'on';
  const serving = findServingLab(folder);
  if (serving) await serving.switchFault({ ...fault, on });
  else await switchInFolder(folder, fault, on);
  if (context.globals.json) context.stdout.write(`${JSON.stringify({ fault: text, on })}\n`);
  else context.stdout.write(`${text} is ${word}\n`);
  return EXIT.done;
}

async function switchInFolder(
  folder: string,
  fault: NonNullable<ReturnType<typeof parseFault>>,
  on: boolean,
): Promise<void> {
  if (!existsSync(folder)) {
    throw new OxherdError('lab.none', 'there is no lab here', {
      where: folder,
      advice: 'start one with oxherd lab serve or any command with --lab, or name its folder with --state',
    });
  }
  const state = await folderState(folder);
  try {
    const faults = createFaults(state.store);
    if (on) faults.set(fault);
    else faults.clear(fault.name, fault.subject === '' ? undefined : fault.subject);
  } finally {
    state.close();
  }
}
