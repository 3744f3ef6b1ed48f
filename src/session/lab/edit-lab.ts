/** A change of a lab's hosts or storages, made while no process serves it. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../cli/context.js';
import { findServingLab } from '../../lab/control.js';
import { openPveDb, type PveDb } from '../../lab/proxmox/db.js';
import { folderState } from '../../lab/state.js';
import { OxherdError } from '../../model/error.js';

export async function editLab(
  context: CliContext,
  input: CommandInput,
  change: (db: PveDb) => string,
): Promise<ExitCode> {
  const folder = resolve(context.cwd, String(input.options.state ?? '.oxherd/lab'));
  if (!existsSync(folder)) {
    throw new OxherdError('lab.none', 'there is no lab here', {
      where: folder,
      advice: 'start one with oxherd lab serve or any command with --lab, or name its folder with --state',
    });
  }
  if (findServingLab(folder)) {
    throw new OxherdError('lab.serving', 'the lab serves: its hosts and storages cannot change meanwhile', {
      where: folder,
      advice: 'stop it, make the change and start it again; its state is kept',
    });
  }
  const state = await folderState(folder);
  try {
    const done = change(openPveDb(state.store));
    if (context.globals.json) context.stdout.write(`${JSON.stringify({ done })}\n`);
    else context.stdout.write(`${done}\n`);
  } finally {
    state.close();
  }
  return EXIT.done;
}
