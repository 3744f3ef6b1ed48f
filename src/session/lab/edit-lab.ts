/** A lab in a folder, changed from outside: its hosts and storages, its faults, all of it. */
import { existsSync } from 'node:fs';
import { findServingLab } from '../../lab/control.js';
import { addHost, addStorage, removeHost } from '../../lab/edit-world.js';
import { createFaults, FAULTS, type Fault, type Faults, parseFault } from '../../lab/faults.js';
import { startLab } from '../../lab/index.js';
import { takeLock } from '../../lab/lock.js';
import { labParts } from '../../lab/parts.js';
import { PveError } from '../../lab/proxmox/api.js';
import { openPveDb, type PveDb } from '../../lab/proxmox/db.js';
import { runAsRoot } from '../../lab/proxmox/root-command.js';
import { isProxmoxTool, runShell } from '../../lab/proxmox/root-shell.js';
import { folderState, forgetState, isLabFolder } from '../../lab/state.js';
import { OxherdError } from '../../model/error.js';

export function addLabHost(folder: string, name: string): Promise<void> {
  return editWorld(folder, (db) => addHost(db, name));
}

export function removeLabHost(folder: string, name: string): Promise<void> {
  return editWorld(folder, (db) => removeHost(db, name));
}

export function addLabStorage(folder: string, storage: Parameters<typeof addStorage>[1]): Promise<void> {
  return editWorld(folder, (db) => addStorage(db, storage));
}

/** A command that root would type on a host; see lab/proxmox/root-command.ts and root-shell.ts. */
export async function runAsLabRoot(folder: string, command: string): Promise<void> {
  if (!isProxmoxTool(command)) return editWorld(folder, (db, faults) => runAsRoot(db, faults, command));
  requireLab(folder);
  requireNotServing(folder);
  // The tools start tasks and guests: that takes a lab that runs.
  const lab = await startLab({ state: await folderState(folder), parts: labParts() });
  try {
    await runShell(lab.proxmox, command);
  } catch (error) {
    if (!(error instanceof PveError)) throw error;
    throw new OxherdError('lab.root', `${command}: ${error.message.trim()}`, {
      advice: 'nothing else was run',
    });
  } finally {
    await lab.stop();
  }
}

/** While no process serves it. */
async function editWorld(folder: string, change: (db: PveDb, faults: Faults) => void): Promise<void> {
  requireLab(folder);
  requireNotServing(folder);
  const state = await folderState(folder);
  try {
    change(openPveDb(state.store), createFaults(state.store));
  } finally {
    state.close();
  }
}

function requireNotServing(folder: string): void {
  if (!findServingLab(folder)) return;
  throw new OxherdError('lab.serving', 'the lab serves: its hosts and storages cannot change meanwhile', {
    where: folder,
    advice: 'stop it, change it and start it again; its state is kept',
  });
}

/** Whether it serves at this moment or not. */
export async function switchLabFault(folder: string, text: string, on: boolean): Promise<void> {
  const fault = readFault(text);
  const serving = findServingLab(folder);
  if (serving) return serving.switchFault({ ...fault, on });
  requireLab(folder);
  const state = await folderState(folder);
  try {
    const faults = createFaults(state.store);
    if (on) faults.set(fault);
    else faults.clear(fault.name, fault.subject === '' ? undefined : fault.subject);
  } finally {
    state.close();
  }
}

export function readFault(text: string): Fault {
  const fault = parseFault(text);
  if (fault) return fault;
  throw new OxherdError('lab.fault', `there is no fault ${text}`, {
    advice: `faults are: ${Object.keys(FAULTS).join(', ')}`,
  });
}

/** Throws where the folder holds something else; `false`: there is no such folder. */
export function findLab(folder: string): boolean {
  if (!existsSync(folder)) return false;
  if (isLabFolder(folder)) return true;
  throw new OxherdError('lab.not-a-lab', `${folder} holds no lab`, {
    where: folder,
    advice: 'nothing was deleted; name the folder that `lab serve --state` was given',
  });
}

/** Deletes its state. Returns what is left in the folder: files that are not the lab's. */
export async function resetLab(folder: string): Promise<readonly string[]> {
  const lock = await takeLock(folder);
  const left = forgetState(folder);
  lock.release();
  return left;
}

function requireLab(folder: string): void {
  if (existsSync(folder)) return;
  throw new OxherdError('lab.none', 'there is no lab here', {
    where: folder,
    advice: 'start one with oxherd lab serve or any command with --lab, or name its folder with --state',
  });
}
