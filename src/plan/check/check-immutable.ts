/** What is decided when a cluster or a volume is made, and cannot be changed on a running one. */

import type { NodeDesign } from '../../design/design.js';
import { smbiosUuidOf } from '../../formats/marks/identities.js';
import { parsePropertyString } from '../../formats/proxmox/property-string.js';
import { documentsIn } from '../../formats/redact/redacted-documents.js';
import { hasNodeKeys, volumeId } from '../../formats/talos/volume-encryption.js';
import { isMapping, type Mapping } from '../../formats/text/mapping.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { uuidOf } from '../facts/renamed-nodes.js';
import type { PlanContext } from '../input.js';
import type { Problem } from '../plan.js';
import { partitionProblems } from './check-partitions.js';

type Checked = Pick<PlanContext, 'design' | 'observed' | 'machines' | 'asked' | 'resets'>;

/** Against the configs that the machines run with; a machine that cannot be read has nothing to compare. */
export function immutableProblems(context: Checked): Problem[] {
  const { design, observed, machines } = context;
  const found = new Map<string, Problem>();
  for (const node of design.nodes) {
    const details = observed.machines[node.name]?.details;
    const wanted = machines?.configs[node.name];
    if (!wanted || !details?.known || !details.value.config.known) continue;
    const has = details.value.config.value;
    const problems = [
      ...(has.hash === wanted.hash ? [] : changeProblems(context, node.name, has.redacted, wanted.redacted)),
      ...uuidProblems(context, node, has.redacted),
    ];
    // Of the network every node says the same.
    for (const problem of problems) {
      const key = `${problem.code} ${problem.node ?? ''} ${problem.message}`;
      if (!found.has(key)) found.set(key, problem);
    }
  }
  return [...found.values()];
}

function changeProblems(context: Checked, node: string, has: string, wanted: string): Problem[] {
  const pair = { from: documentsIn(has), to: documentsIn(wanted) };
  const isNew = context.resets.has(node) || context.asked.fresh.includes(node);
  return [
    ...networkProblems(context, pair),
    ...volumeProblems(context, node, pair),
    ...(isNew ? [] : partitionProblems(node, ...ofOneType(pair))),
  ];
}

/** User volumes whose type changes are refused for that. */
function ofOneType({ from, to }: Pair): [Mapping[], Mapping[]] {
  const changes = (document: Mapping, others: readonly Mapping[]) =>
    others.some(
      ({ kind, name, volumeType }) =>
        kind === document.kind && name === document.name && typeOf({ kind, volumeType }) !== typeOf(document),
    );
  return [from.filter((one) => !changes(one, to)), to.filter((one) => !changes(one, from))];
}

/** Talos makes `nodeID` keys from it, and a machine is known by it. */
function uuidProblems({ design, observed }: Checked, node: NodeDesign, redacted: string): Problem[] {
  const { vmid } = node.talosVm;
  const config = visibleVm(observed, vmid)?.config;
  const wanted = uuidOf(node);
  if (!config?.known || wanted === undefined) return [];
  const has = parsePropertyString(config.value.values.smbios1 ?? '').uuid?.toLowerCase();
  const isComputed = wanted === smbiosUuidOf(design.cluster, vmid);
  if (has === undefined || has === wanted) return [];
  const hasKeys = hasNodeKeys(documentsIn(redacted));
  if (isComputed && !hasKeys) return [];
  return [
    {
      code: 'immutable-uuid',
      scope: 'node',
      node: node.name,
      message: `VM ${vmid} has the SMBIOS uuid ${has}, oxherd.yaml leads to ${wanted}; a machine cannot get another one${hasKeys ? ', its disk keys come from it' : ''}`,
      advice: `set nodes.${node.name}.uuid: ${has}`,
    },
  ];
}

interface Pair {
  readonly from: readonly Mapping[];
  readonly to: readonly Mapping[];
}

const NETWORK_KEYS = {
  podSubnets: 'pod addresses',
  serviceSubnets: 'service addresses',
  dnsDomain: 'names of services',
} as const;

const WRITTEN_AS: Readonly<Record<string, string>> = { dnsDomain: 'domain' };

function networkProblems({ design, asked }: Checked, { from, to }: Pair): Problem[] {
  const planes = design.nodes.filter((node) => node.role === 'controlplane');
  // With a new etcd there is a new cluster.
  if (planes.length > 0 && planes.every((node) => asked.fresh.includes(node.name))) return [];
  const [was, shall] = [networkIn(from), networkIn(to)];
  return Object.entries(NETWORK_KEYS).flatMap(([key, what]): Problem[] => {
    const [old, wanted] = [textOf(was[key]), textOf(shall[key])];
    if (old === '' || wanted === '' || old === wanted) return [];
    const written = `cluster.${WRITTEN_AS[key] ?? key}`;
    return [
      {
        code: 'immutable-network',
        scope: 'plan',
        message: `${written} cannot be changed on a running cluster: ${what} come from ${old}, oxherd.yaml says ${wanted}`,
        advice: `set ${written} back to ${old}; for another one build a second cluster and move the workloads`,
      },
    ];
  });
}

function networkIn(documents: readonly Mapping[]): Mapping {
  const kube = documents.find((document) => document.kind === 'KubeNetworkConfig');
  if (kube) return kube;
  const main = documents.find((document) => document.kind === undefined);
  const cluster = isMapping(main?.cluster) ? main.cluster : {};
  return isMapping(cluster.network) ? cluster.network : {};
}

const VOLUME_KINDS = ['VolumeConfig', 'UserVolumeConfig', 'RawVolumeConfig', 'SwapVolumeConfig'];

function volumeProblems(
  { design, observed, asked, resets }: Checked,
  node: string,
  { from, to }: Pair,
): Problem[] {
  return from.flatMap((old): Problem[] => {
    const kind = textOf(old.kind);
    const name = textOf(old.name);
    const wanted = to.find((document) => document.kind === old.kind && document.name === old.name);
    if (!VOLUME_KINDS.includes(kind) || !wanted || isMadeAgain(name) || isBroken(kind, name)) return [];
    const what = changedShape(old, wanted);
    if (what === undefined) return [];
    return [
      {
        code: 'immutable-volume',
        scope: 'plan',
        node,
        message: `${what} of ${name} on ${node} cannot be changed: the volume exists, and Talos would not mount it`,
        advice: wayOut(name, node),
      },
    ];
  });

  /** Talos could not bring it up with the config that runs: another config is the way back. */
  function isBroken(kind: string, name: string): boolean {
    const details = observed.machines[node]?.details;
    const volumes = details?.known ? details.value.volumes : [];
    const id = volumeId(kind, name);
    return volumes.some((volume) => volume.id === id && ['failed', 'missing'].includes(volume.phase));
  }

  /** It comes with a disk that this plan makes. */
  function isMadeAgain(volume: string): boolean {
    if (volume === 'EPHEMERAL') return resets.has(node) || asked.fresh.includes(node);
    return volume === 'STATE' && asked.replace.includes(node);
  }

  function wayOut(volume: string, name: string): string {
    if (volume === 'EPHEMERAL')
      return `change it back; or give ${name} a new EPHEMERAL disk (the old one is kept): oxherd apply --fresh --only ${name} --confirm ${design.cluster.name}`;
    if (volume === 'STATE')
      return `change it back; or give ${name} a new system disk: oxherd replace ${name}`;
    return `change it back; or add a volume with another name, copy the data, then take ${volume} out of oxherd.yaml`;
  }
}

/** Names in messages: what Talos cannot change on a volume that exists; sizes and options may change. */
function changedShape(old: Mapping, wanted: Mapping): string | undefined {
  const [type, next] = [typeOf(old), typeOf(wanted)];
  // A whole disk has no partition table, a partition has one, and a directory is on EPHEMERAL.
  if (type !== next) return `the type (${type} → ${next})`;
  if (!isSameEncryption(old.encryption, wanted.encryption)) return 'the encryption';
  const filesystem = ({ filesystem }: Mapping) =>
    (isMapping(filesystem) ? filesystem.type : undefined) ?? 'xfs';
  return filesystem(old) === filesystem(wanted) ? undefined : 'the file system';
}

function typeOf({ kind, volumeType }: Mapping): string {
  return kind === 'UserVolumeConfig' ? textOf(volumeType) || 'partition' : '';
}

/**
 * Keys may change while one of them stays in its slot: Talos opens the volume with that one at the next boot and then
 * writes the others (`syncKeys` in internal/pkg/encryption/encryption.go).
 */
function isSameEncryption(before: unknown, after: unknown): boolean {
  if (!isMapping(before) || !isMapping(after)) return isMapping(before) === isMapping(after);
  const keys = (value: Mapping) => (Array.isArray(value.keys) ? value.keys.map(canonical) : []);
  const kept = keys(before).some((one) => keys(after).includes(one));
  return before.provider === after.provider && (kept || canonical(before.keys) === canonical(after.keys));
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isMapping(value)) return JSON.stringify(value ?? null);
  return `{${Object.keys(value)
    .sort()
    .map((key) => `${key}:${canonical(value[key])}`)
    .join(',')}}`;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(', ');
  return typeof value === 'string' ? value : '';
}
