/** What the cluster starts with. */
import { isDnsName } from '../schema/values.js';
import { type Check, originOf } from './check.js';
import { isDrive } from './volumes.js';

export const csiAccess: Check = {
  needs: ['kubernetes.csi', 'volumes'],
  run({ config, report }) {
    const csiVolume = config.volumes.find((volume) => volume.type === 'proxmox-csi');
    const { csi } = config.kubernetes;
    if (csiVolume && !csi) {
      report.error({
        code: 'kubernetes.csi',
        path: ['kubernetes', 'csi'],
        message: `\`${csiVolume.name}\` is a CSI volume, but \`csi\` is off`,
        hint: 'remove `csi: false`, or the volume',
      });
    }
    for (const { name } of csi?.storageClasses ?? []) {
      if (isDnsName(name)) continue;
      report.error({
        code: 'kubernetes.storage-class',
        path: ['kubernetes', 'csi', 'storageClasses', name],
        message: `\`${name}\` cannot be the name of a StorageClass`,
        hint: 'lower-case letters, digits, `-` and dots',
        at: 'key',
      });
    }
    for (const { name, reclaim } of csi?.storageClasses ?? []) {
      if (reclaim !== 'Delete' || csi?.delete) continue;
      report.error({
        code: 'kubernetes.csi-reclaim',
        path: ['kubernetes', 'csi', 'storageClasses', name, 'reclaim'],
        message: `StorageClass \`${name}\` deletes volumes, and the driver has no right to: they would stay for ever`,
        hint: 'write `reclaim: Retain`, or `delete: true` under `csi`',
      });
    }
    if (!csi?.delete || csi.acceptDeleteRisk) return;
    const ours = new Set([
      ...config.nodes.map((node) => node.vm.storage),
      ...config.volumes.filter(isDrive).flatMap(({ storage }) => (storage === undefined ? [] : [storage])),
    ]);
    const granted = [
      ...csi.storageClasses.map(({ storage }) => storage),
      ...config.volumes.flatMap((volume) => (volume.type === 'proxmox-csi' ? [volume.storage] : [])),
    ];
    const shared = granted.find((storage) => ours.has(storage));
    if (shared === undefined) return;
    report.error({
      code: 'kubernetes.csi-delete',
      path: ['kubernetes', 'csi', 'delete'],
      message: `\`delete\` allows the driver to delete every volume on \`${shared}\`, data disks of this cluster too`,
      hint: 'give it a storage of its own, or write `acceptDeleteRisk: true`',
    });
  },
};

export const gatewayApi: Check = {
  needs: ['kubernetes'],
  run({ config: { kubernetes }, file, report }) {
    const written = file.kubernetes?.cilium;
    if (typeof written !== 'object' || written.gatewayApi !== true || kubernetes.gatewayApi) return;
    report.warning({
      code: 'kubernetes.gateway-api',
      path: ['kubernetes', 'cilium', 'gatewayApi'],
      message: "Cilium's Gateway API controller needs the CRDs",
      hint: 'add `gatewayApi: true` to `kubernetes`',
    });
  },
};

const LABEL_NAME = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;

function isLabelKey(key: string): boolean {
  const [first = '', second, ...rest] = key.split('/');
  if (rest.length > 0) return false;
  return second === undefined ? LABEL_NAME.test(first) : isDnsName(first) && LABEL_NAME.test(second);
}

export const labelsAndTaints: Check = {
  needs: [],
  run(input) {
    for (const node of input.config.nodes) {
      const { levels } = originOf(input, node);
      for (const [key, value] of Object.entries(node.labels)) {
        if (isLabelKey(key) && (value === '' || LABEL_NAME.test(value))) continue;
        const level = levels.find(({ values }) => values.labels && Object.hasOwn(values.labels, key));
        input.report.error({
          code: 'node.label',
          path: [...(level?.path ?? []), 'labels', key],
          message: `\`${key}: ${value}\` cannot be a Kubernetes label`,
          hint: 'keys like `example.com/rack`, values of letters, digits and `-_.`, at most 63',
          at: 'key',
        });
      }
      for (const [i, { key }] of node.taints.entries()) {
        if (isLabelKey(key)) continue;
        const level = levels.find(({ values }) => values.taints !== undefined);
        input.report.error({
          code: 'node.taint',
          path: [...(level?.path ?? []), 'taints', i, 'key'],
          message: `\`${key}\` cannot be the key of a taint`,
          hint: 'write it like `example.com/dedicated`',
        });
      }
    }
  },
};

/** Nodes have IPv4 addresses alone: what they cannot route, pods and services cannot use. */
export const addressFamilies: Check = {
  needs: ['cluster.podSubnets', 'cluster.serviceSubnets'],
  run({ config: { cluster }, report }) {
    for (const key of ['podSubnets', 'serviceSubnets'] as const) {
      for (const [index, subnet] of cluster[key].entries()) {
        if (!subnet.includes(':')) continue;
        report.error({
          code: 'cluster.subnet-family',
          path: ['cluster', key, index],
          message: `\`${subnet}\` is IPv6, but the nodes have IPv4 addresses only`,
          hint: 'write an IPv4 subnet; dual stack is not supported yet',
        });
      }
    }
  },
};
