/** Two workers on two hosts, each with a CSI volume that a pod uses. */
import { claim } from './cluster.js';

export const CSI_VIP = '10.20.30.40';

export const CSI_CONFIG = `
cluster: { name: stall, vip: ${CSI_VIP}, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
defaults:
  all: { cores: 2, memory: 4GiB, disk: 6GiB }
nodes:
  cp-1: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 141 }
  work: { role: worker, count: 2, hosts: [pve1, pve2], ip: 10.20.30.51, vmid: 151 }
volumes:
  pv-data: { type: proxmox-csi, size: 1GiB, host: pve1 }
  pv-data-old: { type: proxmox-csi, size: 2GiB, host: pve2 }
`;

/** A claim on the volume of that name, and a deployment whose one pod mounts it. */
export const csiWorkload = (name: string, size: string) => [
  claim(name, name, size),
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            { name: 'main', image: 'busybox:1.37', volumeMounts: [{ name: 'data', mountPath: '/data' }] },
          ],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
        },
      },
    },
  },
];
