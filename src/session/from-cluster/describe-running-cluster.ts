/** The config that describes a running cluster, and its secrets. Reads Proxmox and the machines, and writes nothing. */
import { resolve } from 'node:path';
import { describeCluster } from '../../config/from-cluster/describe-cluster.js';
import type { ClusterFacts } from '../../config/from-cluster/facts.js';
import { loadConfig } from '../../config/load.js';
import { isMapping } from '../../formats/text/mapping.js';
import { OxherdError } from '../../model/error.js';
import { secretsFromMachineConfig } from '../../secrets/from-machine-config.js';
import { readIfThere } from '../../secrets/private-file.js';
import { readTalosconfig, type TalosconfigContext } from '../../secrets/read-talosconfig.js';
import type { TalosSecrets } from '../../secrets/talos-secrets.js';
import { type LoadedConfig, withSite } from '../connect/site.js';
import type { SessionContext } from '../context.js';
import { type FittedConfig, fitConfig } from './fit-config.js';
import { readCluster } from './read-cluster.js';

export interface RunningCluster extends FittedConfig {
  readonly secrets: TalosSecrets;
  /** What a person should know about it. */
  readonly notes: readonly string[];
}

interface ClusterToRead {
  readonly talosconfig: string;
  readonly proxmox: ClusterFacts['proxmox'];
}

/** From nothing but the addresses of both APIs. */
export async function describeRunningCluster(
  context: SessionContext,
  { talosconfig, proxmox }: ClusterToRead,
): Promise<RunningCluster> {
  const known = await talosconfigAt(context, talosconfig);
  return withSite(context, provisional(proxmox, known, context.cwd), async (site) => {
    const { facts, controlPlaneConfig, notes } = await readCluster(site, known, proxmox);
    const { raw, notes: told } = describeCluster(facts);
    const secrets = secretsFromMachineConfig(controlPlaneConfig, 'the control plane');
    return { ...fitConfig(raw, facts, secrets, () => undefined), secrets, notes: [...notes, ...told] };
  });
}

/** With the config of another tool: its own words, and what the machines and VMs have besides. */
export async function fitToRunningCluster(
  context: SessionContext,
  source: LoadedConfig & { readonly raw: Readonly<Record<string, unknown>> },
  talosconfig: string,
  readText: (path: string) => string | undefined,
): Promise<RunningCluster> {
  const known = await talosconfigAt(context, talosconfig);
  return withSite(context, source, async (site) => {
    const endpoint = source.config.proxmox.endpoints[0] ?? '';
    const { facts, controlPlaneConfig, notes } = await readCluster(site, known, { endpoint });
    requireSameNodes(source, facts);
    const secrets = secretsFromMachineConfig(controlPlaneConfig, 'the control plane');
    const { raw, kept } = withoutInstalled(withIdentities(source.raw, facts), facts);
    return { ...fitConfig(raw, facts, secrets, readText), secrets, notes: [...notes, ...kept] };
  });
}

/** Keys of `kubernetes` for what the machine configs bring themselves, and how one knows it there. */
const BROUGHT = {
  cilium: { name: 'Cilium', list: 'inlineManifests', sign: /cilium/i },
  gatewayApi: { name: 'the Gateway API', list: 'extraManifests', sign: /gateway-api/ },
} as const;

/** What the machines bring stays theirs: taken into oxherd's hands it would be installed again, which restarts it. */
function withoutInstalled(
  raw: Readonly<Record<string, unknown>>,
  { machines }: ClusterFacts,
): { readonly raw: Readonly<Record<string, unknown>>; readonly kept: readonly string[] } {
  const { kubernetes } = raw;
  if (!isMapping(kubernetes)) return { raw, kept: [] };
  const clusters = machines.flatMap(({ documents }) =>
    documents.flatMap(({ kind, cluster }) => (kind === undefined && isMapping(cluster) ? [cluster] : [])),
  );
  const brought = Object.entries(BROUGHT).filter(
    ([key, { list, sign }]) =>
      key in kubernetes && clusters.some((cluster) => sign.test(JSON.stringify(cluster[list] ?? []))),
  );
  const rest = Object.fromEntries(
    Object.entries(kubernetes).filter(([key]) => brought.every(([gone]) => gone !== key)),
  );
  return {
    raw: { ...raw, kubernetes: rest },
    kept: brought.map(
      ([key, { name }]) =>
        `${name} stays as the machine configs install it; to have oxherd upgrade it, write kubernetes.${key} with its version after the adoption`,
    ),
  };
}

function requireSameNodes({ config }: LoadedConfig, { machines }: ClusterFacts): void {
  const named = new Map(config.nodes.map((node) => [node.name, node]));
  const wrong = [
    ...machines
      .filter(({ name }) => !named.has(name))
      .map(({ name }) => `${name} runs and is not in the config`),
    ...config.nodes
      .filter(({ name }) => machines.every((machine) => machine.name !== name))
      .map(({ name }) => `${name} is in the config and does not run`),
    ...machines.flatMap(({ name, vm, address }) => {
      const node = named.get(name);
      if (!node || (node.vmid === vm.vmid && node.ip === address)) return [];
      return [`${name} is VM ${vm.vmid} at ${address}, in the config VM ${node.vmid} at ${node.ip}`];
    }),
  ];
  if (wrong.length === 0) return;
  throw new OxherdError(
    'cluster.other-nodes',
    `the config and the running cluster differ: ${wrong.join('; ')}`,
    {
      advice: 'bring the config up to date, or name the talosconfig of its cluster',
    },
  );
}

/** MACs and uuids that Proxmox or the provider made up are in no config. */
function withIdentities(
  raw: Readonly<Record<string, unknown>>,
  { machines }: ClusterFacts,
): Readonly<Record<string, unknown>> {
  const { nodes } = raw;
  if (!isMapping(nodes)) return raw;
  const changed = Object.entries(nodes).map(([name, node]) => {
    const machine = machines.find((each) => each.name === name);
    const mac = /=([0-9A-F]{2}(?::[0-9A-F]{2}){5})/i.exec(machine?.vm.values.net0 ?? '')?.[1];
    const uuid = /uuid=([0-9a-f-]{36})/i.exec(machine?.vm.values.smbios1 ?? '')?.[1]?.toLowerCase();
    const own = { ...(mac !== undefined && { mac }), ...(uuid !== undefined && { uuid }) };
    return [name, isMapping(node) ? { ...node, ...own } : node];
  });
  return { ...raw, nodes: Object.fromEntries(changed) };
}

async function talosconfigAt({ cwd }: SessionContext, given: string): Promise<TalosconfigContext> {
  const path = resolve(cwd, given);
  const text = await readIfThere(path);
  if (text !== undefined) return readTalosconfig(text, path);
  throw new OxherdError('secrets.no-talosconfig', `there is no ${path}`, {
    where: path,
    advice: 'name a talosconfig of an administrator: --talosconfig FILE',
  });
}

/** Enough of a config to connect by; nothing of it is written. */
function provisional(
  { endpoint, fingerprint, insecure }: ClusterFacts['proxmox'],
  { endpoints }: TalosconfigContext,
  directory: string,
): LoadedConfig {
  const ip = endpoints.find((each) => /^\d+\.\d+\.\d+\.\d+$/.test(each)) ?? '192.0.2.10';
  const subnet = ip.replace(/\d+$/, '0/24');
  const gateway = ip.replace(/\d+$/, ip.endsWith('.254') ? '253' : '254');
  const tls = fingerprint !== undefined ? { fingerprint } : insecure ? { insecure: true } : {};
  const text = JSON.stringify({
    cluster: { name: 'unknown', kubernetes: 'v1.36.0' },
    talos: { version: 'v1.14.1' },
    proxmox: { endpoint, cluster: 'unknown', token: 'env:OXHERD_PROXMOX_TOKEN', ...tls },
    network: { subnet, gateway },
    nodes: { unknown: { role: 'controlplane', host: 'unknown', ip, vmid: 100 } },
  });
  const { config, diagnostics } = loadConfig({ path: 'oxherd.yaml', text, readText: () => undefined });
  if (config) return { config, directory };
  throw new OxherdError('init.answers', diagnostics.map(({ message }) => message).join('\n'), {
    advice: 'name the Proxmox API like https://pve1.lan:8006',
  });
}
