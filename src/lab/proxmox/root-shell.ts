/**
 * The commands that oxherd prints for root, run on a host of the lab. Proxmox's own tools are thin: each subcommand is
 * one method of the API (qemu-server PVE/CLI/qm.pm, pve-access-control PVE/CLI/pveum.pm, pve-storage PVE/CLI/pvesm.pm,
 * pve-ha-manager PVE/CLI/ha_manager.pm), called as root@pam with its task followed to the end.
 */
import { OxherdError } from '../../model/error.js';
import { PveError } from './api.js';
import type { VmRecord } from './db.js';
import { type Words, words } from './root-words.js';
import type { PveService } from './server.js';
import { waitForTask } from './tasks/wait-for-task.js';

type Fields = Record<string, string>;

/** A subcommand: the method of the API, with what its positional arguments are called there. */
type Subcommand = readonly [
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  ...positional: readonly string[],
];

const VM = '/nodes/{node}/qemu/{vmid}';
const CT = '/nodes/{node}/lxc/{vmid}';

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  'qm set': ['PUT', `${VM}/config`, 'vmid'],
  'qm config': ['GET', `${VM}/config`, 'vmid'],
  'qm start': ['POST', `${VM}/status/start`, 'vmid'],
  'qm stop': ['POST', `${VM}/status/stop`, 'vmid'],
  'qm reset': ['POST', `${VM}/status/reset`, 'vmid'],
  'qm shutdown': ['POST', `${VM}/status/shutdown`, 'vmid'],
  'qm resume': ['POST', `${VM}/status/resume`, 'vmid'],
  'qm destroy': ['DELETE', VM, 'vmid'],
  'qm delsnapshot': ['DELETE', `${VM}/snapshot/{snapname}`, 'vmid', 'snapname'],
  'qm disk move': ['POST', `${VM}/move_disk`, 'vmid', 'disk', 'storage'],
  'qm disk unlink': ['PUT', `${VM}/unlink`, 'vmid'],
  'pct set': ['PUT', `${CT}/config`, 'vmid'],
  'pct stop': ['POST', `${CT}/status/stop`, 'vmid'],
  'pct delsnapshot': ['DELETE', `${CT}/snapshot/{snapname}`, 'vmid', 'snapname'],
  'pveum role add': ['POST', '/access/roles', 'roleid'],
  'pveum role modify': ['PUT', '/access/roles/{roleid}', 'roleid'],
  'pveum role delete': ['DELETE', '/access/roles/{roleid}', 'roleid'],
  'pveum user add': ['POST', '/access/users', 'userid'],
  'pveum user modify': ['PUT', '/access/users/{userid}', 'userid'],
  'pveum user delete': ['DELETE', '/access/users/{userid}', 'userid'],
  'pveum user token add': ['POST', '/access/users/{userid}/token/{tokenid}', 'userid', 'tokenid'],
  'pveum user token list': ['GET', '/access/users/{userid}/token', 'userid'],
  'pveum acl modify': ['PUT', '/access/acl', 'path'],
  'pveum acl delete': ['PUT', '/access/acl', 'path'],
  'pveum pool add': ['POST', '/pools', 'poolid'],
  'pveum pool modify': ['PUT', '/pools/{poolid}', 'poolid'],
  'pveum pool delete': ['DELETE', '/pools/{poolid}', 'poolid'],
  'pvesm set': ['PUT', '/storage/{storage}', 'storage'],
  'pvesm status': ['GET', '/nodes/{node}/storage'],
  'pvesm list': ['GET', '/nodes/{node}/storage/{storage}/content', 'storage'],
  'pvesm free': ['DELETE', '/nodes/{node}/storage/{storage}/content/{volume}', 'volume'],
  'pvesr delete': ['DELETE', '/cluster/replication/{id}', 'id'],
  'ha-manager add': ['POST', '/cluster/ha/resources', 'sid'],
  'ha-manager set': ['PUT', '/cluster/ha/resources/{sid}', 'sid'],
  'ha-manager remove': ['DELETE', '/cluster/ha/resources/{sid}', 'sid'],
  'ha-manager status': ['GET', '/cluster/ha/status/current'],
  'ha-manager rules add': ['POST', '/cluster/ha/rules', 'type', 'rule'],
  'ha-manager rules set': ['PUT', '/cluster/ha/rules/{rule}', 'type', 'rule'],
  'ha-manager rules remove': ['DELETE', '/cluster/ha/rules/{rule}', 'rule'],
  'ha-manager rules list': ['GET', '/cluster/ha/rules'],
};

/** Long enough for a guest that is given its time to shut down. */
const TASK_SECONDS = 3600;

/** Whether the shell has a program of that name; what it lacks stands in root-command.ts. */
export function isProxmoxTool(line: string): boolean {
  return /^(qm|pct|pveum|pvesm|pvesr|pvesh|ha-manager) /.test(line);
}

/** The whole line, as a shell runs it; of a list with `;` the first failure ends it, as a person would stop there. */
export async function runShell(service: PveService, line: string): Promise<void> {
  let failure: unknown;
  for (const { joined, argv } of words(line)) {
    if (joined === 'next' && failure !== undefined) break;
    if (joined === 'and' && failure !== undefined) continue;
    if (joined === 'or' && failure === undefined) continue;
    failure = await runTool(service, argv).then(
      () => undefined,
      (error: unknown) => error,
    );
  }
  if (failure !== undefined) throw failure;
}

async function runTool(service: PveService, argv: Words): Promise<void> {
  const [program = '', ...rest] = argv;
  if (program === 'true') return;
  if (program === 'qm' && rest[0] === 'unlock') return unlock(service, rest[1] ?? '');
  if (program === 'pvesh' && rest[0] === 'delete') return ask(service, 'DELETE', rest[1] ?? '', {}, '');
  const found = [3, 2, 1]
    .map((count) => [argv.slice(0, count + 1).join(' '), argv.slice(count + 1)] as const)
    .find(([name]) => name in SUBCOMMANDS);
  const subcommand = found && SUBCOMMANDS[found[0]];
  if (!subcommand) throw unknownCommand(argv);
  const [method, path, ...positional] = subcommand;
  const { options, given } = readOptions(argv, found[1]);
  given.forEach((value, index) => {
    const name = positional[index];
    if (name === undefined) throw unknownCommand(argv);
    options[name] = value;
  });
  if (found[0] === 'pveum acl delete') options.delete = '1';
  const node = hostOf(service, options);
  if (options.volume !== undefined) options.storage = options.volume.split(':', 1)[0] ?? '';
  const variables = { ...options, node };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = variables[name as keyof typeof variables];
    if (value === undefined) throw unknownCommand(argv);
    delete options[name];
    return value;
  });
  return ask(service, method, filled, options, node);
}

function readOptions(argv: Words, rest: Words): { options: Fields; given: string[] } {
  const options: Fields = {};
  const given: string[] = [];
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? '';
    if (!word.startsWith('--')) {
      given.push(word);
      continue;
    }
    const value = rest[index + 1];
    // A flag without a value is a boolean (PVE::JSONSchema::get_options).
    const bare = value === undefined || value.startsWith('--');
    if (word === '--' || /[<>]/.test(word)) throw unknownCommand(argv);
    if (word !== '--output-format') options[word.slice(2)] = bare ? '1' : value;
    if (!bare) index += 1;
  }
  return { options, given };
}

/** The tools of guests work on the guest's own host; volumes of a local storage are on one host. */
function hostOf({ pve: { db, core } }: PveService, { vmid, volume }: Fields): string {
  if (vmid !== undefined) {
    const host = db.vms.get(vmid)?.host ?? db.containers.get(vmid)?.host;
    if (host !== undefined) return host;
  }
  const held = [...db.volumes.values()].find((one) => volume === `${one.storage}:${one.path}`);
  const up = [...db.hosts.values()].find(({ name }) => !core.faults.holds('host-down', name));
  return held?.host || up?.name || '';
}

async function ask(
  service: PveService,
  method: string,
  path: string,
  fields: Fields,
  node: string,
): Promise<void> {
  const host = node === '' ? hostOf(service, {}) : node;
  const data = await service.asRoot({ host, method, path }, fields);
  if (typeof data === 'string' && data.startsWith('UPID:'))
    await waitForTask(service.pve, data, TASK_SECONDS, (exitstatus) => exitstatus);
}

/** qm.pm, `unlock`: the key is deleted under the config's own lock, whatever runs; a saved memory stays and is not used. */
function unlock({ pve: { db } }: PveService, vmid: string): void {
  const vm = db.vms.get(vmid);
  if (!vm)
    throw new PveError(500, `Configuration file 'nodes/localhost/qemu-server/${vmid}.conf' does not exist`);
  const { lock: _, ...config } = vm.config;
  db.vms.put(vmid, { ...vm, config } satisfies VmRecord);
}

function unknownCommand(argv: Words): OxherdError {
  return new OxherdError('lab.root', `the lab does not know ${argv.join(' ')}`, {
    advice: `it takes qm unlock, pvesh delete and ${Object.keys(SUBCOMMANDS).join(', ')}`,
  });
}
