import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readYamlDocuments } from '../../../formats/text/yaml-text.js';
import { GIB } from '../../../model/size.js';
import { type CertificateRequest, issueCertificate, newAuthority } from '../../../secrets/certificates.js';
import { pemForNode } from '../../../secrets/keys.js';
import { fromBase64Pem } from '../../../secrets/pem.js';
import type { LabCore } from '../../lab.js';
import { storedRandom } from '../../random.js';
import { memoryStore } from '../../store.js';
import { createTimeline } from '../../timeline.js';
import { MemoryHypervisor } from '../hypervisors/memory-hypervisor.js';
import { TalosRoom } from '../room.js';
import { writePartitionData } from '../volumes/partitions.js';
import { RECORDED_CLUSTER } from './recorded-cluster.js';

const SCHEMATIC = '376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba';
const PORT = 50_000;

/** Addresses that are their own images on loopback: what is dialled is what a machine calls itself. */
const MACHINES = { cp1: '127.99.0.41', cp2: '127.99.0.42', worker: '127.99.0.51' } as const;
const ABSENT = '127.99.0.99';

/** What the lab's ready file says of it. PEM texts. */
export interface RecordingsTalos {
  readonly ready: {
    readonly port: number;
    readonly addresses: Readonly<Record<keyof typeof MACHINES | 'absent', string>>;
    readonly ca: string;
    /** By the recordings' names: admin, operator, …, and admin certificates with one flaw each. */
    readonly certificates: Readonly<Record<string, { readonly certificate: string; readonly key: string }>>;
  };
  readonly room: TalosRoom;
  close(): void;
}

/**
 * The machines of the API recordings: `cp1` waits in maintenance mode, `cp2` and `worker` have their configs. They live
 * apart from the lab's own machines, in memory, and share its clock, network and faults.
 */
export async function startRecordingsTalos(lab: LabCore): Promise<RecordingsTalos> {
  const store = memoryStore();
  const core: LabCore = {
    ...lab,
    store,
    timeline: createTimeline(store, lab.clock),
    random: storedRandom(store, 'recordings'),
  };
  const hypervisor = new MemoryHypervisor();
  const room = new TalosRoom({ core, hypervisor, images: { exists: () => true, extensions: () => [] } });
  const configs = { cp1: undefined, cp2: RECORDED_CLUSTER.controlplane, worker: RECORDED_CLUSTER.worker };
  for (const [index, name] of (['cp1', 'cp2', 'worker'] as const).entries()) {
    const config = configs[name];
    const image = {
      system: { kind: 'talos', schematic: SCHEMATIC, version: 'v1.14.1', arch: 'amd64' },
    } as const;
    const state = { config, nodeId: core.random.hex(44) };
    hypervisor.volumes.set(name, {
      size: 32 * GIB,
      content: config === undefined ? image : writePartitionData(image, 'STATE', state),
    });
    const vmid = 101 + index;
    hypervisor.vms.set(vmid, {
      vmid,
      ip: MACHINES[name],
      prefix: 8,
      mac: `BC:24:11:00:00:0${index + 1}`,
      drives: { scsi0: name },
    });
  }
  room.resume();
  for (const ip of Object.values(MACHINES)) await listening(core, ip);
  return {
    ready: { port: PORT, addresses: { ...MACHINES, absent: ABSENT }, ...(await issueAll()) },
    room,
    close: () => room.close(),
  };
}

/** Waits, in lab time, until someone answers there. */
async function listening(core: LabCore, ip: string): Promise<void> {
  while (!core.network.dial(ip, PORT)) await core.clock.sleep(1_000);
}

const DAY = 86_400_000;

async function issueAll(): Promise<Pick<RecordingsTalos['ready'], 'ca' | 'certificates'>> {
  const main: unknown = readYamlDocuments(RECORDED_CLUSTER.controlplane)[0];
  const keyPair = z.object({ crt: z.string(), key: z.string() });
  const { machine } = z.object({ machine: z.object({ ca: keyPair }) }).parse(main);
  const now = Date.now();
  const stranger = await newAuthority(
    { subject: { organizations: ['talos'] }, algorithm: 'ed25519', notBefore: new Date(now - DAY) },
    randomBytes,
  );
  const usual: CertificateRequest = {
    subject: { organizations: ['os:admin'] },
    validity: { notBefore: new Date(now - DAY), notAfter: new Date(now + 365 * DAY) },
    usage: ['client'],
  };
  const role = (name: string): CertificateRequest => ({ ...usual, subject: { organizations: [name] } });
  const requests: Record<string, CertificateRequest> = {
    admin: usual,
    operator: role('os:operator'),
    reader: role('os:reader'),
    'etcd:backup': role('os:etcd:backup'),
    'meta:writer': role('os:meta:writer'),
    impersonator: role('os:impersonator'),
    'no-role': role('somebody'),
    'wrong-ca': usual,
    expired: { ...usual, validity: { notBefore: new Date(now - 3 * DAY), notAfter: new Date(now - DAY) } },
    'not-yet-valid': {
      ...usual,
      validity: { notBefore: new Date(now + DAY), notAfter: new Date(now + 2 * DAY) },
    },
    'server-eku': { ...usual, usage: ['server'] },
    'both-eku': { ...usual, usage: ['server', 'client'] },
    'no-eku': { ...usual, usage: [] },
  };
  const certificates: Record<string, { certificate: string; key: string }> = {};
  for (const [name, request] of Object.entries(requests)) {
    const pair = await issueCertificate(name === 'wrong-ca' ? stranger : machine.ca, request, randomBytes);
    certificates[name] = { certificate: fromBase64Pem(pair.crt), key: pemForNode(fromBase64Pem(pair.key)) };
  }
  return { ca: fromBase64Pem(machine.ca.crt), certificates };
}
