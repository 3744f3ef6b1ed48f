/** Which versions a cluster runs: lowest and highest of each, since an upgrade may have stopped half-way. */
import { compareVersions, parseVersion, type Version } from '../../model/version.js';
import type { Observed } from '../../observe/observed.js';
import { kubeNodeOf } from '../../observe/observed-kubernetes.js';
import type { Versions } from './upgrade-path.js';

export interface RunningVersions {
  readonly lowest: Versions;
  readonly highest: Versions;
  /** Per node, for messages. */
  readonly nodes: readonly RunningNode[];
}

interface RunningNode {
  readonly node: string;
  readonly talos: Version;
  readonly kubernetes?: Version;
}

type Seen = Pick<Observed, 'machines' | 'kubernetes'>;

/** `undefined` while no machine answers. `nodes` are those that count: others may have versions of their own. */
export function runningVersions(observed: Seen, nodes: readonly string[]): RunningVersions | undefined {
  const machines = nodes.flatMap((node) => runningNode(observed, node));
  const talos = machines.map((machine) => machine.talos);
  const server = observed.kubernetes?.version;
  const kubernetes = [
    ...machines.flatMap((machine) => (machine.kubernetes ? [machine.kubernetes] : [])),
    ...(server?.known ? versionOf(server.value) : []),
  ];
  const [lowTalos, highTalos] = ends(talos);
  const [lowKubernetes, highKubernetes] = ends(kubernetes);
  if (!lowTalos || !highTalos || !lowKubernetes || !highKubernetes) return undefined;
  return {
    lowest: { talos: lowTalos, kubernetes: lowKubernetes },
    highest: { talos: highTalos, kubernetes: highKubernetes },
    nodes: machines,
  };
}

function runningNode(observed: Seen, node: string): RunningNode[] {
  const details = observed.machines[node]?.details;
  if (!details?.known) return [];
  const [talos] = versionOf(details.value.talosVersion);
  if (!talos) return [];
  const kubelets = observed.kubernetes?.nodes;
  const kubelet = kubelets?.known ? kubeNodeOf(node, kubelets.value)?.kubeletVersion : undefined;
  // While no API server answers, the machine's config says which kubelet it runs.
  const { config } = details.value;
  const configured = config.known ? /\/kubelet:(v[\w.-]+)/.exec(config.value.redacted)?.[1] : undefined;
  const [kubernetes] = versionOf(kubelet ?? configured ?? '');
  return [{ node, talos, ...(kubernetes && { kubernetes }) }];
}

/** Builds of others carry a tail: `v1.36.0+k3s1`. */
function versionOf(text: string): Version[] {
  const version = parseVersion(text.replace(/\+.*$/, ''));
  return version ? [version] : [];
}

function ends(versions: readonly Version[]): [Version | undefined, Version | undefined] {
  const sorted = [...versions].sort(compareVersions);
  return [sorted[0], sorted.at(-1)];
}
