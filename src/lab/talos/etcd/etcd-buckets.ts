import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { KubeObject } from '../../kubernetes/object.js';
import type { ObjectDump } from '../../kubernetes/storage/object-dump.js';
import type { EtcdClusterRecord, EtcdMemberRecord } from '../machine/machine-record.js';

const VERSION = '3.6.0';

/** The database of an etcd server (server/storage/schema): its keys by revision, members, and where it stands. */
export function etcdBuckets(cluster: EtcdClusterRecord, objects: ObjectDump) {
  const members = cluster.members.map((member): [string, Buffer] => [hexId(member.id), memberJson(member)]);
  const voters = cluster.members.filter(({ learner }) => !learner).map(({ id }) => BigInt(id).toString());
  return {
    alarm: [],
    auth: [],
    authRoles: [],
    authUsers: [],
    cluster: [['clusterVersion', Buffer.from(VERSION)]],
    key: keysByRevision(cluster.revision, objects),
    lease: [],
    members,
    members_removed: [],
    meta: [
      ['confState', Buffer.from(`{"voters":[${voters.join(',')}],"auto_leave":false}`)],
      ['consistent_index', big(cluster.index)],
      ['storageVersion', Buffer.from(VERSION)],
      ['term', big(cluster.term)],
    ],
  } satisfies Record<string, [string | Buffer, Buffer][]>;
}

/** One revision per object, oldest first, so that the last one is the cluster's. */
function keysByRevision(revision: number, { objects }: ObjectDump): [Buffer, Buffer][] {
  const all = Object.entries(objects)
    .flatMap(([resource, list]) => list.map((object) => ({ path: registryPath(resource, object), object })))
    .sort((a, b) => version(a.object) - version(b.object));
  const first = Math.max(2, revision - all.length + 1);
  return all.map(({ path, object }, index) => {
    const main = first + index;
    const value = new BinaryWriter()
      .tag(1, WireType.LengthDelimited)
      .string(path)
      .tag(2, WireType.Varint)
      .int64(main)
      .tag(3, WireType.Varint)
      .int64(main)
      .tag(4, WireType.Varint)
      .int64(1)
      .tag(5, WireType.LengthDelimited)
      .bytes(json(object))
      .finish();
    return [Buffer.concat([big(main), Buffer.from('_'), big(0)]), Buffer.from(value)];
  });
}

const NAMES: Readonly<Record<string, string>> = {
  nodes: 'minions',
  services: 'services/specs',
  endpoints: 'services/endpoints',
};

/** Where an API server keeps an object; kinds with a group of their own keep it in the path. */
function registryPath(resource: string, { metadata }: KubeObject): string {
  const [plural = '', ...group] = resource.split('.');
  const own = group.length > 2 && !group.join('.').endsWith('.k8s.io') ? `${group.join('.')}/` : '';
  const namespace = metadata.namespace === undefined ? '' : `${metadata.namespace}/`;
  return `/registry/${own}${NAMES[plural] ?? plural}/${namespace}${metadata.name}`;
}

function version({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion ?? 0);
}

/** Ids have 64 bits, more than a number of JSON.stringify. */
function memberJson({ id, ip, name, learner }: EtcdMemberRecord): Buffer {
  const rest = JSON.stringify({
    peerURLs: [`https://${ip}:2380`],
    ...(learner ? { isLearner: true } : {}),
    name,
    clientURLs: [`https://${ip}:2379`],
  });
  return Buffer.from(`{"id":${id},${rest.slice(1)}`);
}

function hexId(decimal: string): string {
  return BigInt(decimal).toString(16);
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function big(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
