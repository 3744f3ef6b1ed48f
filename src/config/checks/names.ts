/** Names of nodes, volumes and hosts: DNS, Talos and Proxmox each have rules. */
import { csiVolumeName, isClusterTag } from '../../formats/marks/cluster-names.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { firstLabel } from '../../model/node-names.js';
import type { Config, NodeConfig } from '../config.js';
import { pathOf } from '../resolve/levels.js';
import { isDnsName, isHostName } from '../schema/values.js';
import type { VolumeConfig } from '../volume-config.js';
import { type Check, OncePerEntry, originOf } from './check.js';

const MAX_LABEL = 63;
const DATA_SUFFIX = '-data';

export const nodeNames: Check = {
  needs: [],
  run(input) {
    const first = new Map<string, NodeConfig>();
    const once = new OncePerEntry(input.report);
    for (const node of input.config.nodes) {
      const { path, grouped } = originOf(input, node);
      const problem = nameProblem(node);
      if (problem) {
        once.error(path, {
          code: 'node.name',
          path,
          message: `\`${node.name}\` ${problem}`,
          hint: 'lower-case letters, digits and `-`, with dots between labels',
          at: 'key',
        });
      }
      const label = firstLabel(node.name);
      const other = first.get(label);
      if (!other) first.set(label, node);
      else if (other.name !== node.name) {
        once.error(path, {
          code: 'node.duplicate-label',
          path,
          message: `\`${node.name}\` and \`${other.name}\` are both called \`${label}\` in Kubernetes and etcd, which know the first label of a name`,
          hint: 'give one of them another first label',
          at: 'key',
        });
      } else {
        const from = originOf(input, other).path.at(-1);
        once.error(path, {
          code: 'node.duplicate-name',
          path,
          message: `two nodes are called \`${node.name}\`; the other comes from \`${from}\``,
          hint: grouped ? 'rename the group or the other node' : 'rename one of them',
          at: 'key',
        });
      }
    }
  },
};

function nameProblem({ name, layout }: NodeConfig): string | undefined {
  if (!isDnsName(name)) return 'is not a DNS name';
  // The data VM is called `<node>-data`, and Proxmox takes DNS names only.
  if (layout === 'data-vm' && (name.split('.').at(-1) ?? '').length + DATA_SUFFIX.length > MAX_LABEL) {
    return `is too long: its data VM is called \`${name}${DATA_SUFFIX}\``;
  }
  return undefined;
}

/** Proxmox allows it, but two VMs of one name are a trap for whoever has to choose the right one. */
export const dataVmNames: Check = {
  needs: [],
  run(input) {
    const dataVms = new Map<string, string>(
      input.config.nodes
        .filter(({ layout }) => layout === 'data-vm')
        .map(({ name }) => [`${name}${DATA_SUFFIX}`, name] as const),
    );
    const once = new OncePerEntry(input.report);
    for (const node of input.config.nodes) {
      const owner = dataVms.get(node.name);
      if (owner === undefined) continue;
      const { path } = originOf(input, node);
      once.error(path, {
        code: 'node.name',
        path,
        message: `\`${node.name}\` is also the name of the data VM of \`${owner}\``,
        hint: 'rename the node',
        at: 'key',
      });
    }
  },
};

/** Drives that every node has: a volume of that name would share their identity. */
const RESERVED = new Set(['os', 'ephemeral', 'system']);

export const volumeNames: Check = {
  needs: [],
  run({ config, report }) {
    for (const volume of config.volumes) {
      const problem = volumeNameProblem(volume) ?? handleProblem(config, volume);
      if (problem)
        report.error({ code: 'volume.name', path: ['volumes', volume.name], ...problem, at: 'key' });
    }
  },
};

function volumeNameProblem({ name, type }: VolumeConfig): { message: string; hint: string } | undefined {
  if (RESERVED.has(name.toLowerCase())) {
    return {
      message: `a volume cannot be called \`${name}\``,
      hint: 'every node has a drive of that name: choose another',
    };
  }
  if (type === 'proxmox-csi') {
    // The name of the PersistentVolume, and the end of the Proxmox volume's name.
    if (!isDnsName(name))
      return {
        message: `\`${name}\` cannot be the name of a PersistentVolume`,
        hint: 'lower-case letters, digits, `-` and dots',
      };
    // The driver finds a volume by a part of its name.
    if (!/vm-\d+-/.test(name)) return undefined;
    return {
      message: `\`${name}\` contains the prefix of Proxmox volume names`,
      hint: 'leave `vm-<number>-` out: the CSI driver could take it for another volume',
    };
  }
  // Talos: UserVolumeConfig names are 1 to 34 characters, since the partition label `u-<name>` has 36.
  if (/^[A-Za-z0-9-]{1,34}$/.test(name)) return undefined;
  return {
    message: `\`${name}\` cannot be the name of a Talos volume`,
    hint: 'at most 34 letters, digits and `-`',
  };
}

/** Kubernetes' limit for the handle of a CSI volume. */
const HANDLE_MAX = 128;

/** `region/host/storage/disk`, at its longest: on a file storage, which keeps the disk in a folder. */
function handleProblem(
  { cluster, proxmox }: Config,
  volume: VolumeConfig,
): { message: string; hint: string } | undefined {
  if (volume.type !== 'proxmox-csi') return undefined;
  const { name, host, storage, vmid, format } = volume;
  const disk = `${vmid}/${csiVolumeName(cluster, vmid, name)}.${format}`;
  const over = [proxmox.cluster, host, storage, disk].join('/').length - HANDLE_MAX;
  if (over <= 0) return undefined;
  return {
    message: `\`${name}\` is too long: its handle in Kubernetes would have ${HANDLE_MAX + over} characters`,
    hint: `at most ${HANDLE_MAX}: shorten the name by ${over}`,
  };
}

/** Tags with which oxherd tells clusters and data VMs apart: another cluster's would make the VM look like its own. */
export const reservedTags: Check = {
  needs: [],
  run(input) {
    const once = new OncePerEntry(input.report);
    for (const node of input.config.nodes) {
      const tag = node.vm.tags.find((one) => isClusterTag(one) || one === DATA_TAG);
      const path = pathOf(originOf(input, node).levels, 'tags');
      if (tag === undefined) continue;
      once.error(path, {
        code: 'node.tags',
        path,
        message: `the tag \`${tag}\` is one of those by which oxherd knows its VMs`,
        hint: 'choose a tag that does not start with `oxherd`; the tag of the cluster is set by itself',
      });
    }
  },
};

export const hostNames: Check = {
  needs: [],
  run({ config, report }) {
    for (const { name } of config.hosts) {
      if (isHostName(name)) continue;
      report.error({
        code: 'host.name',
        path: ['hosts', name],
        message: `\`${name}\` cannot be a Proxmox host name`,
        hint: 'letters, digits and `-`, without dots',
        at: 'key',
      });
    }
  },
};

/** Folders of our own below `.oxherd`, where a cluster has one by its name. */
const OWN_FOLDERS = ['lab', 'runs'];

export const clusterFolder: Check = {
  needs: ['cluster.name'],
  run({ config: { cluster }, report }) {
    if (!OWN_FOLDERS.includes(cluster.name)) return;
    report.error({
      code: 'cluster.name',
      path: ['cluster', 'name'],
      message: `a cluster cannot be called \`${cluster.name}\`: oxherd keeps files of its own in \`.oxherd/${cluster.name}\``,
      hint: `another name, such as \`my-${cluster.name}\``,
    });
  },
};
