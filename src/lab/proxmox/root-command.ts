/** What root types on a host of the Proxmox cluster and the API cannot do: the commands that oxherd prints, and no others. */
import { OxherdError } from '../../model/error.js';
import type { Faults } from '../faults.js';
import type { PveDb } from './db.js';

const CONF = String.raw`/etc/pve/nodes/([\w-]+)/qemu-server/(\d+)\.conf`;
const MOVE = new RegExp(`^mv ${CONF} ${CONF}$`);
const REMOVE = new RegExp(`^rm ${CONF}$`);
const DELNODE = /^pvecm delnode ([\w-]+)$/;
const EXPECTED = /^pvecm expected (\d+)$/;
const HA_STATE = /^ha-manager set (vm:\d+) --state (started|stopped|disabled|ignored)$/;
const NOT_HA = /^ha-manager remove (vm:\d+)$/;

export function runAsRoot(db: PveDb, faults: Faults, command: string): void {
  const isDown = (name: string) => faults.holds('host-down', name);
  const move = MOVE.exec(command);
  const [, from = '', removed = ''] = REMOVE.exec(command) ?? [];
  const [, host] = DELNODE.exec(command) ?? [];
  const [, sid] = NOT_HA.exec(command) ?? [];
  const [, kept, state] = HA_STATE.exec(command) ?? [];
  if (move) moveConfig(db, move.slice(1, 5).map(String));
  else if (EXPECTED.test(command)) faults.set({ name: 'expected-one', subject: '', countdown: null });
  else if (removed !== '') {
    configOn(db, removed, from);
    db.vms.delete(removed);
  } else if (host !== undefined) removeDeadHost(db, host, isDown);
  else if (sid !== undefined) {
    db.haResources.delete(sid);
    db.haServices.delete(sid);
  } else if (kept !== undefined && state !== undefined) setHaState(db, kept, state);
  else {
    throw refused(
      `the lab does not know ${command}`,
      'it takes mv and rm of VM configs, pvecm delnode, pvecm expected, ha-manager remove, ha-manager set --state',
    );
  }
}

/** The manager sees it when it looks next. */
function setHaState(db: PveDb, sid: string, state: string): void {
  const resource = db.haResources.get(sid);
  if (!resource) throw refused(`no such resource '${sid}'`, 'see oxherd host status');
  if (db.haServices.get(sid)?.state === 'error' && state !== 'disabled')
    throw refused(`service '${sid}' in error state, must be disabled and fixed first`, 'set it to disabled');
  db.haResources.put(sid, { ...resource, state });
}

function moveConfig(db: PveDb, [from = '', vmid = '', to = '', other = '']: readonly string[]): void {
  const vm = configOn(db, vmid, from);
  if (other !== vmid) throw refused(`${other} is another VM than ${vmid}`, 'a config keeps its number');
  if (!db.hosts.has(to)) throw refused(`cannot move to ${to}: no such directory`, 'name a host of the lab');
  db.vms.put(vmid, { ...vm, host: to });
}

function configOn(db: PveDb, vmid: string, host: string) {
  const vm = db.vms.get(vmid);
  if (vm?.host !== host) throw refused(`${host} has no config ${vmid}.conf`, 'see oxherd host lost');
  if (vm.running) throw refused(`VM ${vmid} runs`, 'its host is not dead: stop it first');
  return vm;
}

/** Configs of its VMs stay where they are, its local volumes are gone with it. */
function removeDeadHost(db: PveDb, host: string, isDown: (host: string) => boolean): void {
  if (!db.hosts.has(host)) throw refused(`the lab has no host ${host}`, 'see oxherd host status');
  if (!isDown(host))
    throw refused(`${host} is up`, `switch it off first: oxherd lab fault host-down=${host} on`);
  db.hosts.delete(host);
  for (const [key, volume] of [...db.volumes.entries()]) {
    const shared = db.storages.get(volume.storage)?.shared === true;
    if (volume.host === host && !shared) db.volumes.delete(key);
  }
}

function refused(message: string, advice: string): OxherdError {
  return new OxherdError('lab.root', message, { advice });
}
