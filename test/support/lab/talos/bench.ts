import { randomBytes } from 'node:crypto';
import { parseAllDocuments, stringify } from 'yaml';
import { connectTalos, type TalosClient, type TalosTrust } from '../../../../src/clients/talos/index.js';
import { DrivenClock } from '../../../../src/lab/clock.js';
import { createFaults } from '../../../../src/lab/faults.js';
import type { LabCore, VolumeContent } from '../../../../src/lab/lab.js';
import { privateNetwork } from '../../../../src/lab/network.js';
import { storedRandom } from '../../../../src/lab/random.js';
import { memoryStore } from '../../../../src/lab/store.js';
import {
  MemoryHypervisor,
  type MemoryVm,
  wwnFor,
} from '../../../../src/lab/talos/hypervisors/memory-hypervisor.js';
import type { KubernetesHook } from '../../../../src/lab/talos/kubernetes/kubernetes-hook.js';
import { RECORDED_CLUSTER } from '../../../../src/lab/talos/recorded/recorded-cluster.js';
import { TalosRoom } from '../../../../src/lab/talos/room.js';
import { createTimeline } from '../../../../src/lab/timeline.js';
import { issueCertificate } from '../../../../src/secrets/certificates.js';
import { fromBase64Pem } from '../../../../src/secrets/pem.js';

export const SCHEMATIC = '376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba';

/** Machines on a hypervisor that does nothing but hold their disks. */
export interface Bench {
  readonly core: LabCore;
  readonly room: TalosRoom;
  readonly hypervisor: MemoryHypervisor;
  readonly volumes: MemoryHypervisor['volumes'];
  start(vm: BenchVm): void;
  stop(vmid: number): void;
  client(ip: string, auth?: 'admin' | 'none'): Promise<TalosClient>;
  /** Lets lab time pass until `check` holds; fails after `limit` of it. */
  until(check: () => boolean | Promise<boolean>, limit?: number): Promise<void>;
  close(): void;
}

export type BenchVm = MemoryVm;

export function startBench(
  options: { kubernetes?: (core: LabCore) => KubernetesHook; from?: Bench } = {},
): Bench {
  const { from } = options;
  const store = from?.core.store ?? memoryStore();
  const clock = new DrivenClock(from?.core.clock.now() ?? Date.UTC(2026, 0, 1));
  const core: LabCore = {
    store,
    clock,
    timeline: createTimeline(store, clock),
    network: privateNetwork(),
    faults: createFaults(store),
    random: storedRandom(store, 'bench'),
  };
  const hypervisor = from?.hypervisor ?? new MemoryHypervisor();
  const room = new TalosRoom({
    core,
    hypervisor,
    images: { exists: () => true, extensions: () => ['siderolabs/qemu-guest-agent'] },
    ...(options.kubernetes ? { kubernetes: options.kubernetes(core) } : {}),
    notice: (text) => console.error(text),
  });
  room.resume();
  core.timeline.resume();
  const clients = new Map<string, TalosClient>();
  return {
    core,
    room,
    hypervisor,
    volumes: hypervisor.volumes,
    start(vm) {
      hypervisor.vms.set(vm.vmid, vm);
      room.powerOn(vm.vmid);
    },
    stop(vmid) {
      room.powerOff(vmid);
      hypervisor.vms.delete(vmid);
    },
    async client(ip, auth = 'admin') {
      const key = `${auth} ${ip}`;
      const known = clients.get(key);
      if (known) return known;
      const trust: TalosTrust =
        auth === 'admin'
          ? { kind: 'mutual', ...(await adminCredentials()) }
          : { kind: 'maintenance', because: 'test' };
      const client = connectTalos({
        address: ip,
        trust,
        clock,
        dial: (host, port) => core.network.dial(host, port),
      });
      clients.set(key, client);
      return client;
    },
    async until(check, limit = 600_000) {
      const end = clock.now() + limit;
      while (!(await check())) {
        if (clock.now() >= end) throw new Error('it did not come to be');
        await clock.sleep(1_000);
      }
    },
    close() {
      for (const client of clients.values()) client.close();
      room.close();
      clock.stop();
    },
  };
}

export const IMAGE: VolumeContent = {
  system: { kind: 'talos', schematic: SCHEMATIC, version: 'v1.14.1', arch: 'amd64' },
};

/** A complete config for a machine with one OS disk and EPHEMERAL on a disk of its own. */
export function configFor(options: {
  role: 'controlplane' | 'worker';
  name: string;
  ip: string;
  mac: string;
  vip?: string;
  ephemeral?: string;
  more?: readonly Record<string, unknown>[];
}): string {
  const documents = parseAllDocuments(RECORDED_CLUSTER[options.role])
    .map((document) => document.toJS())
    .filter((document) => document.kind !== 'HostnameConfig');
  const document = (kind: string, body: Record<string, unknown>) => ({
    apiVersion: 'v1alpha1',
    kind,
    ...body,
  });
  documents.push(
    document('HostnameConfig', { hostname: options.name }),
    document('LinkAliasConfig', {
      name: 'net0',
      selector: { match: `mac(link.permanent_addr) == "${options.mac.toLowerCase()}"` },
    }),
    document('LinkConfig', {
      name: 'net0',
      addresses: [{ address: `${options.ip}/24` }],
      routes: [{ gateway: '10.9.0.254' }],
    }),
    ...(options.vip ? [document('Layer2VIPConfig', { name: options.vip, link: 'net0' })] : []),
    ...(options.ephemeral
      ? [
          document('VolumeConfig', {
            name: 'EPHEMERAL',
            provisioning: {
              diskSelector: { match: `disk.wwid == "naa.${wwnFor(options.ephemeral).slice(2)}"` },
            },
          }),
        ]
      : []),
    ...(options.more ?? []),
  );
  return documents.map((one) => stringify(one)).join('---\n');
}

let admin: ReturnType<typeof credentials> | undefined;

function adminCredentials(): ReturnType<typeof credentials> {
  admin ??= credentials();
  return admin;
}

export async function credentials(
  organization = 'os:admin',
): Promise<{ ca: string; certificate: string; key: string }> {
  const machine = parseAllDocuments(RECORDED_CLUSTER.controlplane)[0]?.toJS().machine;
  const client = await issueCertificate(
    machine.ca,
    {
      subject: { organizations: [organization] },
      validity: { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) },
      usage: ['client'],
    },
    randomBytes,
  );
  return {
    ca: fromBase64Pem(machine.ca.crt),
    certificate: fromBase64Pem(client.crt),
    key: fromBase64Pem(client.key),
  };
}
