/**
 * Advice is checked like a plan: a situation is made on a copy of a small cluster, a command is run, and the command
 * that it prints is run as printed. Then the situation has changed, no volume or identity is lost, and apply leads to
 * a cluster without changes.
 */
import type { ProxmoxClient } from '../../src/clients/proxmox/client.js';
import { parsePropertyString } from '../../src/formats/proxmox/property-string.js';
import { diskDrives } from '../../src/formats/proxmox/vm-config.js';
import { runShell } from '../../src/lab/proxmox/root-shell.js';
import { builtOnce } from './built-folder.js';
import { ended } from './cli.js';
import { ClusterSite } from './cluster-site.js';
import { root } from './root-commands.js';
import { type SmallFile, smallFile } from './small-file.js';
import { runningKubernetes } from './watcher.js';

export interface AdvisedSituation {
  readonly name: string;
  /** What the config has that the cluster was not built with. */
  readonly file?: SmallFile;
  readonly built?: SmallFile;
  /** Makes the situation. */
  before?(site: ClusterSite, hand: ProxmoxClient): Promise<unknown> | unknown;
  /** Whose advice is followed; default: `plan`. */
  readonly command?: readonly string[];
  /** What the command says about the situation, and no longer says afterwards. */
  readonly says: RegExp;
  /** The printed command: its first group, or all of the match. */
  readonly advice: RegExp;
  /** The advice is an edit of oxherd.yaml, made from the match; what is left to run is a command or nothing. */
  edit?(config: string, advised: string): string;
  /** Values for what stands in `<…>`. */
  fill?(command: string, site: ClusterSite): string;
  /** What a person does as the text says, beside the command. */
  meanwhile?(site: ClusterSite, hand: ProxmoxClient): Promise<unknown> | unknown;
  /** What else must hold once the command was run. */
  holds?(site: ClusterSite): readonly string[];
  /** Run afterwards to see whether it still says so; default: the same command. */
  readonly again?: readonly string[];
  /** Volumes that the advice names as given up. */
  readonly givesUp?: readonly RegExp[];
  /** `false`: something is left to do that the advice is not about. */
  readonly converges?: boolean;
  /** Exit code of the printed oxherd command. */
  readonly exit?: number;
}

/** One line for each line and those that go on below it. */
const words = ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}\n${stderr}`;

/** What was not as it must be; empty: the advice is good. */
export async function adviceFaults(situation: AdvisedSituation): Promise<readonly string[]> {
  const text = smallFile(situation.built);
  const built = await builtOnce(`advice ${text}`, async () => {
    const site = await ClusterSite.open(text);
    ended(await site.run('apply', '--yes'));
    return site.close();
  });
  const site = await ClusterSite.open(text, built.copy());
  try {
    return await faultsOn(site, situation);
  } catch (error) {
    return [String(error instanceof Error ? (error.stack ?? error.message) : error)];
  } finally {
    await site.remove();
  }
}

async function faultsOn(site: ClusterSite, situation: AdvisedSituation): Promise<readonly string[]> {
  const { command = ['plan'], says, again = command, givesUp = [] } = situation;
  if (situation.file) site.config = smallFile({ ...situation.built, ...situation.file });
  await site.byHand(async (hand) => situation.before?.(site, hand));
  const before = held(site);
  const printed = words(await site.run(...command));
  if (!says.test(printed)) return [`it does not say ${says}:`, printed];
  const [whole, group] = situation.advice.exec(printed) ?? [];
  const advised = group ?? whole;
  if (advised === undefined) return [`no command like ${situation.advice}:`, printed];
  const line = situation.fill?.(advised, site) ?? advised;
  await site.byHand(async (hand) => situation.meanwhile?.(site, hand));
  if (situation.edit) site.config = situation.edit(site.config, advised);
  const failure = /^(Set|write) /.test(line) ? undefined : await runAdvice(site, line, situation.exit ?? 0);
  if (failure !== undefined) return [`${line}: ${failure}`];
  const after = words(await site.run(...again));
  const wrong = [
    ...(says.test(after) ? [`${line} changes nothing:`, after] : []),
    ...(situation.holds?.(site) ?? []),
    ...lost(before, held(site)).filter((what) => !givesUp.some((known) => known.test(what))),
  ];
  if (wrong.length > 0 || situation.converges === false) return wrong;
  const applied = await site.run('apply', '--yes');
  if (applied.exit !== 0) return [`after ${line} apply exits ${applied.exit}:`, words(applied)];
  const plan = await site.run('plan', '--exit-code');
  return [
    ...(plan.exit === 0 ? [] : [`after ${line} and apply, plan exits ${plan.exit}:`, words(plan)]),
    ...lost(before, held(site)).filter((what) => !givesUp.some((known) => known.test(what))),
  ];
}

/** `undefined`: it ended well. */
async function runAdvice(site: ClusterSite, line: string, exit: number): Promise<string | undefined> {
  try {
    if (line.startsWith('oxherd ')) {
      for (const one of line.split(' && ')) {
        const result = await site.run(
          ...shellWords(one)
            .slice(1)
            .filter((word) => word !== '--lab'),
        );
        if (result.exit !== exit) return `exit ${result.exit}: ${words(result)}`;
      }
    } else if (/^(qm|pct|pveum|pvesm|pvesr|pvesh|ha-manager) /.test(line))
      await runShell(site.lab.proxmox, line);
    else if (line.startsWith('kubectl ')) for (const one of line.split(' && ')) deleteObject(site, one);
    else root(site, line);
    // What HA and the guests make of it takes its time.
    await site.lab.clock.sleep(60_000);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const RESOURCES: Readonly<Record<string, string>> = {
  pv: 'persistentvolumes',
  pvc: 'persistentvolumeclaims',
  node: 'nodes',
};

/** `kubectl [-n NAMESPACE] delete KIND NAME`. */
function deleteObject({ room }: ClusterSite, line: string): void {
  const [, namespace, kind = '', name = ''] = /^kubectl (?:-n (\S+) )?delete (\S+) (\S+)$/.exec(line) ?? [];
  const resource = RESOURCES[kind];
  if (resource === undefined) throw new Error(`the lab does not know ${line}`);
  const objects = runningKubernetes({ room });
  const object = objects.find(resource, namespace, name);
  if (!object) throw new Error(`there is no ${kind} ${name}`);
  objects.remove(resource, object, {});
}

function shellWords(line: string): string[] {
  return (line.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []).map((word) => word.replaceAll(/['"]/g, ''));
}

/** Volumes with what is on them, identities of drives and VMs, and members of etcd. */
function held({ lab, etcd }: ClusterSite): ReadonlyMap<string, string> {
  const { db } = lab.proxmox.pve;
  const found = new Map<string, string>();
  for (const volume of db.volumes.values()) {
    if (volume.content === 'images')
      found.set(`volume ${volume.storage}:${volume.path}`, JSON.stringify(volume.data));
  }
  for (const vm of db.vms.values()) {
    const uuid = parsePropertyString(vm.config.smbios1 ?? '').uuid;
    if (uuid !== undefined) found.set(`uuid of VM ${vm.vmid}`, uuid);
    for (const { wwn, file } of diskDrives(vm.config))
      if (wwn !== undefined) found.set(`identity ${wwn}`, file);
  }
  for (const { members } of etcd) for (const { name, id } of members) found.set(`member ${name}`, id);
  return found;
}

/** Contents of volumes change as machines run; that they are there, and of whom, does not. */
function lost(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  return [...before].flatMap(([what, value]) => {
    const there = now.get(what);
    if (there === undefined) return [`lost: ${what} (${value})`];
    return what.startsWith('volume ') || there === value ? [] : [`changed: ${what}: ${value} → ${there}`];
  });
}
