/** What can be reached from this computer: the addresses of the nodes, the image factory, registries, DNS servers. */
import { Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import { RESOURCES } from '../../clients/talos/resources.js';
import type { NodeDesign } from '../../design/design.js';
import { parseNet } from '../../formats/proxmox/property-string.js';
import { attempt } from '../../observe/attempt.js';
import type { Site } from '../connect/site.js';
import type { ClusterFacts, Knock, NodeReach, OutsideReach, ReachFacts } from './facts.js';

const KNOCK_TIMEOUT_MS = 2_000;
const TALOS_PORT = 50_000;
const API_PORT = 6_443;
const HTTPS_PORT = 443;
/** Images of Talos, of Kubernetes, and of what is installed into the cluster. */
const REGISTRIES = ['ghcr.io', 'registry.k8s.io'];

export async function gatherReach(
  site: Site,
  nodes: readonly NodeDesign[],
  cluster: ClusterFacts,
): Promise<ReachFacts> {
  const { vip } = site.config.cluster;
  const [reached, outside, shared, dns] = await Promise.all([
    Promise.all(nodes.map((node) => nodeReach(site, node, cluster))),
    outsideReach(site),
    vip === undefined ? undefined : knock(site, vip, API_PORT),
    site.dial ? [] : dnsReach(site),
  ]);
  return { nodes: reached, outside, dns, ...(shared !== undefined && { vip: shared }) };
}

async function nodeReach(site: Site, node: NodeDesign, cluster: ClusterFacts): Promise<NodeReach> {
  const { name, ip: address, talosVm } = node;
  const vm = cluster.vms.find(({ vmid }) => vmid === talosVm.vmid);
  const base = { name, address, vmid: Number(talosVm.vmid), runs: vm?.status === 'running' };
  if (!vm || !base.runs) return { ...base, knock: await knock(site, address, TALOS_PORT), elsewhere: [] };
  if ((await site.machines.talos.probe(address)) === 'absent') {
    const [knocked, elsewhere] = await Promise.all([
      knock(site, address, TALOS_PORT),
      leasedAddresses(site, vm.node, node),
    ]);
    return { ...base, knock: knocked === 'answers' ? 'silent' : knocked, elsewhere };
  }
  const synced = await attempt(async () => {
    const status = await site.machines.talos.admin(address)?.get(RESOURCES.timeStatus, 'node');
    return (status?.spec as { synced?: boolean } | undefined)?.synced;
  });
  const timeSynced = synced.known ? synced.value : undefined;
  return { ...base, knock: 'answers', elsewhere: [], ...(timeSynced !== undefined && { timeSynced }) };
}

/** What the guest agent tells of the first network card. */
async function leasedAddresses(site: Site, host: string, node: NodeDesign): Promise<string[]> {
  const told = await attempt(() => site.client.guestInterfaces(host, node.talosVm.vmid));
  if (!told.known) return [];
  const { mac } = parseNet(String(node.talosVm.options.net0 ?? 'virtio'));
  return told.value
    .filter((one) => one.mac === mac)
    .flatMap((one) => one.addresses)
    .filter((one) => /^\d+(?:\.\d+){3}$/.test(one) && one !== node.ip && !one.startsWith('169.254.'));
}

/** The lab has a factory of its own, and pulls images by itself. */
async function outsideReach(site: Site): Promise<OutsideReach[]> {
  const factory = new URL(site.config.talos.factory).hostname;
  const names = site.dial ? [factory] : [...new Set([factory, ...REGISTRIES])];
  return Promise.all(
    names.map(async (name): Promise<OutsideReach> => {
      const factoryHost = name === factory;
      if (site.dial) return { name, factory: factoryHost, knock: await knock(site, name, HTTPS_PORT) };
      const address = await attempt(() => addressOf(name));
      if (!address.known) return { name, factory: factoryHost, unresolved: address.why };
      return { name, factory: factoryHost, knock: await knock(site, address.value, HTTPS_PORT) };
    }),
  );
}

async function dnsReach({ config }: Site): Promise<ReachFacts['dns']> {
  const name = new URL(config.talos.factory).hostname;
  return Promise.all(
    config.network.dns.map(async (server) => {
      const answer = await attempt(() => addressOf(name, server));
      return { server, answers: answer.known };
    }),
  );
}

async function addressOf(name: string, server?: string): Promise<string> {
  const resolver = new Resolver({ timeout: KNOCK_TIMEOUT_MS, tries: 1 });
  if (server !== undefined) resolver.setServers([server]);
  const [address] = await resolver.resolve4(name);
  if (address === undefined) throw new Error(`${name} has no IPv4 address`);
  return address;
}

/** A refusal is an answer too: a machine is there. */
function knock({ dial }: Site, host: string, port: number): Promise<Knock> {
  const place = dial ? dial(host, port) : { host, port };
  if (!place) return Promise.resolve('silent');
  return new Promise((resolve) => {
    const socket = connect({ ...place, timeout: KNOCK_TIMEOUT_MS });
    const end = (result: Knock) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => end('answers'));
    socket.once('timeout', () => end('silent'));
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      end(code === 'ECONNREFUSED' ? 'refused' : code === 'ENETUNREACH' ? 'no-route' : 'silent'),
    );
  });
}
