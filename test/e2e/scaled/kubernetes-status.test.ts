/** Illnesses, each planted on a healthy cluster: `status` names it and exits 3. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAEMON_SETS, DEPLOYMENTS } from '../../../src/clients/kubernetes/resources.js';
import type { Condition } from '../../../src/health/condition.js';
import { issueCertificate } from '../../../src/secrets/certificates.js';
import { kubeconfigText } from '../../../src/secrets/client-files.js';
import { systemEnvironment } from '../../../src/secrets/store.js';
import { CliFolder, labFile } from '../../support/cli.js';
import { type ClusterAccess, claim, editMachineConfig, podWith, withCluster } from '../../support/cluster.js';
import { chosen } from '../../support/shard.js';

const VIP = '10.20.30.40';
const CONFIG = `
cluster: { name: ward, vip: ${VIP}, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
defaults:
  all: { cores: 2, memory: 4GiB, disk: 6GiB }
nodes:
  cp: { role: controlplane, count: 3, hosts: [pve1, pve2, pve3], ip: 10.20.30.41, vmid: 141 }
  work-1: { role: worker, host: pve1, ip: 10.20.30.51, vmid: 151 }
volumes:
  pv-photos: { type: proxmox-csi, size: 1GiB, host: pve1 }
kubernetes: { cilium: true, gatewayApi: true, sealedSecrets: true }
policy:
  gates:
    nodes-have-disks:
      resource: nodes
      expression: '!object.status.conditions.exists(c, c.type == "DiskPressure" && c.status == "True")'
`;
const DAY_MS = 24 * 3_600_000;

interface Illness {
  readonly what: string;
  readonly plant?: (access: ClusterAccess, folder: CliFolder) => Promise<void>;
  /** On while `status` looks. */
  readonly fault?: string;
  readonly name: string;
  readonly subject?: string;
  readonly says: RegExp;
}

const deployment = (name: string, command: readonly string[] = []) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'busybox:1.37', command }] },
    },
  },
});

const ILLNESSES: readonly Illness[] = [
  {
    what: 'a worker is down',
    plant: async ({ hand }) => void (await hand.runTask(() => hand.stopVm('pve1', 151))),
    name: 'vm-running',
    subject: 'work-1',
    says: /VM 151 is stopped/,
  },
  {
    what: 'an etcd member is down',
    plant: async ({ hand }) => void (await hand.runTask(() => hand.stopVm('pve3', 143))),
    name: 'etcd-quorum',
    says: /2 of 3 members are needed; 2 answer/,
  },
  {
    what: 'a pod crash-loops',
    async plant({ kubernetes, pass }) {
      await kubernetes.apply(deployment('crashes', ['false']));
      await pass(120);
    },
    name: 'pod-crash-looping',
    says: /crashes again and again/,
  },
  {
    what: 'a claim is pending',
    async plant({ kubernetes, pass }) {
      await kubernetes.apply(claim('lost', 'no-such-volume', '1Gi'));
      await kubernetes.apply(podWith('waits', 'lost'));
      await pass(180);
    },
    name: 'claims-bound',
    subject: 'default/lost',
    says: /the claim is Pending \(class proxmox-csi\)/,
  },
  {
    what: 'the node plugins of the CSI driver are gone',
    async plant({ kubernetes, pass }) {
      await kubernetes.delete(DAEMON_SETS, 'proxmox-csi-plugin-node', { namespace: 'csi-proxmox' });
      await pass(60);
    },
    name: 'csi-driver',
    subject: 'proxmox-csi-plugin-node',
    says: /there is no DaemonSet csi-proxmox\/proxmox-csi-plugin-node/,
  },
  {
    what: 'the controller of the CSI driver does not run',
    async plant({ kubernetes, pass }) {
      const never = { spec: { template: { spec: { nodeSelector: { 'example.com/never': 'true' } } } } };
      await kubernetes.patch(DEPLOYMENTS, 'proxmox-csi-plugin-controller', never, {
        kind: 'merge',
        namespace: 'csi-proxmox',
      });
      await pass(120);
    },
    name: 'csi-driver',
    subject: 'proxmox-csi-plugin-controller',
    says: /0 of 1 pods available/,
  },
  {
    what: 'an attachment is stuck',
    async plant({ kubernetes, hand, pass }) {
      await hand.runTask(() => hand.deleteVolume('pve1', 'local-zfs:vm-9999-_55b6231b4d-pv-photos'));
      await kubernetes.apply(claim('photos', 'pv-photos', '1Gi'));
      await kubernetes.apply(podWith('app', 'photos'));
      await pass(180);
    },
    name: 'volume-attached',
    subject: 'pv-photos',
    says: /cannot be attached to work-1: volume local-zfs:vm-9999-_55b6231b4d-pv-photos does not exist/,
  },
  {
    what: 'a certificate ends soon',
    async plant({ secrets }, folder) {
      const { now, random } = systemEnvironment({});
      const validity = { notBefore: now, notAfter: new Date(now.getTime() + 9.5 * DAY_MS) };
      const request = {
        subject: { organizations: ['system:masters'] },
        validity,
        usage: ['client'] as const,
      };
      const client = await issueCertificate(secrets.certs.k8s, request, random);
      const path = labFile(folder.path, 'kubeconfig');
      expect(readFileSync(path, 'utf8')).toContain(VIP);
      writeFileSync(
        path,
        kubeconfigText(secrets, { cluster: 'ward', server: `https://${VIP}:6443`, client }),
      );
    },
    name: 'certificate-valid',
    subject: 'kubeconfig',
    says: /ends in 9 days/,
  },
  {
    what: 'the VIP is lost',
    fault: `vip-lost=${VIP}`,
    name: 'api-answers',
    subject: VIP,
    says: /no API server is ready at 10\.20\.30\.40/,
  },
  {
    what: 'Proxmox has no quorum',
    fault: 'no-quorum',
    name: 'proxmox-quorum',
    says: /has lost its quorum/,
  },
  {
    what: 'a storage is nearly full',
    async plant({ lab }) {
      const { volumes } = lab.proxmox.pve.db;
      const [key, record] = [...volumes.entries()].find(([id]) => id.startsWith('pve2/local-zfs:')) ?? [];
      const total = lab.proxmox.pve.db.storages.get('local-zfs')?.total ?? 0;
      expect(total).toBeGreaterThan(0);
      if (key && record) volumes.put(key, { ...record, used: Math.floor(total * 0.95) });
    },
    name: 'storage-space',
    subject: 'pve2/local-zfs',
    says: /nearly full: 9\d % used/,
  },
  {
    what: 'a Proxmox change is pending',
    plant: async ({ hand }) => void (await hand.updateVm('pve1', 151, { set: { cores: 3 } })),
    name: 'vm-no-pending',
    subject: 'work-1',
    says: /changes wait for a restart of VM 151: cores/,
  },
  {
    what: 'a kubelet has another version',
    async plant(access) {
      const image = 'ghcr.io/siderolabs/kubelet:v1.35.0';
      await editMachineConfig(access, '10.20.30.51', ['machine', 'kubelet', 'image'], image);
      await access.pass(120);
    },
    name: 'kubernetes-version',
    subject: 'work-1',
    says: /its kubelet is v1\.35\.0, oxherd\.yaml says v1\.36\.0/,
  },
  {
    what: "a machine's clock is wrong",
    fault: 'time-skew=151',
    name: 'time-synced',
    subject: 'work-1',
    says: /its clock is not set/,
  },
  {
    what: 'a VM has a foreign disk',
    plant: async ({ hand }) => void (await hand.updateVm('pve1', 151, { set: { scsi20: 'local-zfs:1' } })),
    name: 'no-foreign-disk',
    subject: 'work-1',
    says: /a disk that is not in oxherd.yaml: scsi20 of VM 151 is local-zfs:vm-151-disk-\d/,
  },
  {
    what: 'a machine config was changed by hand',
    plant: (access) =>
      editMachineConfig(access, '10.20.30.51', ['machine', 'sysctls'], { 'vm.max_map_count': '262144' }),
    name: 'config-current',
    subject: 'work-1',
    says: /its config differs from oxherd.yaml/,
  },
];

describe('status', () => {
  let healthy: CliFolder;

  beforeAll(async () => {
    healthy = CliFolder.make(CONFIG);
    expect(await healthy.lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
  }, 180_000);
  afterAll(() => healthy.remove());

  const look = async (folder: CliFolder, ...args: string[]) => {
    const { exit, stdout } = await folder.lab(...args, 'status', '--json');
    const { conditions }: { conditions: Condition[] } = JSON.parse(stdout);
    return { exit, ill: conditions.filter(({ state }) => state !== 'ok' && state !== 'skipped'), conditions };
  };

  it('exits 0 with none on a healthy cluster, its gate open', async () => {
    const { exit, ill, conditions } = await look(healthy);
    expect(ill).toEqual([]);
    expect(exit).toBe(0);
    expect(conditions).toContainEqual(
      expect.objectContaining({ name: 'gate', subject: 'nodes-have-disks', state: 'ok' }),
    );
  });

  it.each(chosen(ILLNESSES, { test: 3 }))(
    'finds that $what',
    async ({ plant, fault, name, subject, says }) => {
      const folder = healthy.copy();
      try {
        if (plant) await withCluster(folder, VIP, (access) => plant(access, folder));
        const { exit, ill } = await look(folder, ...(fault === undefined ? [] : ['--fault', fault]));
        const found = ill.find(
          (condition) => condition.name === name && (subject === undefined || condition.subject === subject),
        );
        expect(found, JSON.stringify(ill)).toMatchObject({ message: expect.stringMatching(says) });
        expect(found?.advice).toBeTruthy();
        expect(exit).toBe(3);
      } finally {
        folder.remove();
      }
    },
  );

  it('notes a disruption budget that allows no eviction, and stays healthy', async () => {
    const folder = healthy.copy();
    try {
      await withCluster(folder, VIP, async ({ kubernetes, pass }) => {
        await kubernetes.apply(deployment('web'));
        await kubernetes.apply({
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'web', namespace: 'default' },
          spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
        });
        await pass(120);
      });
      const { exit, ill } = await look(folder);
      expect(ill).toMatchObject([
        {
          name: 'budgets-allow',
          subject: 'default/web',
          state: 'note',
          message: expect.stringMatching(/allows no eviction of its 1 pods/),
        },
      ]);
      expect(exit).toBe(0);
    } finally {
      folder.remove();
    }
  });
});
