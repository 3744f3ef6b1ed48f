/** Reads a Proxmox for `oxherd init`: hosts, storages, bridges, ids and addresses in use. Writes nothing. */

import { connect } from 'node:net';
import { inspectCertificate, type PresentedCertificate } from '../../clients/proxmox/index.js';
import type { FoundHost, FoundSite } from '../../config/edit/found-site.js';
import { newConfigFile } from '../../config/edit/new-file.js';
import type { Answers } from '../../config/edit/new-file-answers.js';
import { loadConfig } from '../../config/load.js';
import { OxherdError } from '../../model/error.js';
import { compareNaturally } from '../../model/natural-order.js';
import { attempt } from '../../observe/attempt.js';
import { type LoadedConfig, type Site, withSite } from '../connect/site.js';
import type { SessionContext } from '../context.js';

interface ProxmoxToRead {
  readonly endpoint: string;
  /** SHA-256; absent: the certificate is checked against the system's authorities. */
  readonly fingerprint?: string;
}

export async function discover(context: SessionContext, proxmox: ProxmoxToRead): Promise<FoundSite> {
  return withSite(context, provisional(context, proxmox), readSite);
}

async function readSite({ client }: Site): Promise<FoundSite> {
  const [nodes, status, vms] = await Promise.all([client.nodes(), client.clusterStatus(), client.vms()]);
  const hosts = await Promise.all(
    nodes
      .filter(({ online }) => online)
      .map(async ({ node, memory, memoryUsed }): Promise<FoundHost> => {
        const [state, storages, network, models] = await Promise.all([
          attempt(() => client.nodeStatus(node)),
          attempt(() => client.storages(node)),
          attempt(() => client.network(node)),
          attempt(() => client.cpuModels(node)),
        ]);
        const [, version] = /\/(\d[^/]*)/.exec(state.known ? state.value.version : '') ?? [];
        return {
          name: node,
          ...(version !== undefined && { version }),
          ...(memory !== undefined && { memory: { total: memory, free: memory - (memoryUsed ?? 0) } }),
          storages: (storages.known ? storages.value : [])
            .filter(({ active, enabled }) => active && enabled)
            .map(({ storage, type, content, available }) => ({
              id: storage,
              type,
              content,
              available: available ?? 0,
            })),
          bridges: (network.known ? network.value : [])
            .filter(({ type }) => /bridge|vnet/i.test(type))
            .map(({ iface, cidr, gateway, vlanAware }) => ({
              name: iface,
              ...(cidr !== undefined && { cidr }),
              ...(gateway !== undefined && { gateway }),
              vlanAware,
            })),
          cpuTypes: models.known ? models.value.map(({ name }) => name) : [],
        };
      }),
  );
  return {
    ...(status.name !== undefined && { cluster: status.name }),
    hosts: hosts.sort((a, b) => compareNaturally(a.name, b.name)),
    vmids: vms.map(({ vmid }) => vmid),
    addresses: status.hosts.flatMap(({ ip }) => ip ?? []),
  };
}

/** The certificate that a Proxmox presents, before anything is sent to it. */
export function presentedCertificate(endpoint: string): Promise<PresentedCertificate> {
  return inspectCertificate(endpoint, { timeoutMs: CERTIFICATE_MS });
}

const CERTIFICATE_MS = 10_000;
/** Ports of which a machine in use has one: a refusal is an answer too. */
const PORTS = [50000, 22, 443, 80];
const PROBE_MS = 400;

/** Only what answers TCP is found: the address plan of the network is a better source. */
export async function answeringAddresses(addresses: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    addresses.map(async (ip) => {
      const answers = await Promise.all(PORTS.map((port) => answersAt(ip, port)));
      return answers.includes(true) ? [ip] : [];
    }),
  );
  return found.flat();
}

function answersAt(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PROBE_MS });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code === 'ECONNREFUSED'));
  });
}

/** A config to connect with; an empty lab is built with its hosts. */
function provisional(
  { cwd, target }: SessionContext,
  { endpoint, fingerprint }: ProxmoxToRead,
): LoadedConfig {
  const answers: Answers = {
    name: 'new',
    endpoint: target.kind === 'lab' ? 'https://lab.invalid:8006' : endpoint,
    hosts: 'pve1,pve2,pve3',
    subnet: '192.0.2.0/24',
    gateway: '192.0.2.254',
    controlplanes: '3',
    workers: '0',
    vip: '',
    talos: 'v1.14.1',
    kubernetes: 'v1.36.0',
  };
  const text = newConfigFile(answers, fingerprint === undefined ? {} : { fingerprint });
  const { config, diagnostics } = loadConfig({ path: 'oxherd.yaml', text, readText: () => undefined });
  if (config) return { config, directory: cwd };
  throw new OxherdError('init.answers', diagnostics.map(({ message }) => message).join('\n'), {
    advice: 'name the Proxmox API like https://pve1.lan:8006',
  });
}
