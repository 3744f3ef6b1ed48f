/** One apply brings network, storage access and sealed-secrets; they are kept up to date afterwards. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CLUSTER_ROLE_BINDINGS,
  CONFIG_MAPS,
  DAEMON_SETS,
  GATEWAY_CLASSES,
  NAMESPACES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  SECRETS,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
} from '../../../src/clients/kubernetes/resources.js';
import { connectProxmox } from '../../../src/clients/proxmox/client.js';
import { csiTokenIn } from '../../../src/design/kubernetes/csi.js';
import { CliFolder } from '../../support/cli.js';
import { claim, editMachineConfig, podWith, withCluster } from '../../support/cluster.js';
import { tier } from '../../support/shard.js';

/** In `npm test` a few of them. */
const WHOLE = tier() !== 'test';

const API = '10.20.30.40';

interface Options {
  readonly env?: string;
  readonly cilium?: string;
  readonly photos?: string;
  readonly more?: string;
  readonly worker?: string;
}

const config = ({
  env = '',
  cilium = 'true',
  photos = '2GiB',
  more = '',
  worker = 'work-1',
}: Options = {}) => `
cluster: { name: small, ${env && `env: ${env}, `}vip: ${API}, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
defaults:
  all: { cores: 2, memory: 4GiB, disk: 6GiB }
nodes:
  cp-1: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 141 }
  ${worker}: { role: worker, host: pve1, ip: 10.20.30.51, vmid: 151 }
  work-2: { role: worker, host: pve2, ip: 10.20.30.52, vmid: 152 }
volumes:
  scratch: { type: disk, size: 1GiB }
  pv-photos: { type: proxmox-csi, size: ${photos}, host: pve1 }
  pv-wiki: { type: proxmox-csi, size: 512MiB, host: pve2 }
kubernetes:
  cilium: ${cilium}
  gatewayApi: true
  sealedSecrets: true
  csi: true
${more}`;

describe('a cluster with everything on', () => {
  let folder: CliFolder;

  beforeAll(async () => {
    folder = CliFolder.make(config());
    expect(await folder.lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
  });
  afterAll(() => folder.remove());

  const inCluster = <T>(work: Parameters<typeof withCluster<T>>[2]) => withCluster(folder, API, work);
  const converges = async (text: string, does: RegExp) => {
    folder.config = text;
    const plan = await folder.lab('plan', '--exit-code');
    expect(plan.stdout).toMatch(does);
    expect(plan.exit).toBe(2);
    expect(await folder.lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
    const again = await folder.lab('plan', '--exit-code');
    expect(again).toMatchObject({ exit: 0, stdout: expect.stringMatching(/No changes/) });
  };

  it('has nothing to do afterwards, and is healthy', async () => {
    const plan = await folder.lab('plan', '--exit-code');
    expect(plan).toMatchObject({ exit: 0, stdout: 'No changes. The cluster matches oxherd.yaml.\n' });
    const status = await folder.lab('status', '--json');
    const { conditions } = JSON.parse(status.stdout);
    expect(
      conditions.filter(({ state }: { state: string }) => state !== 'ok' && state !== 'skipped'),
    ).toEqual([]);
    expect(status.exit).toBe(0);
  });

  it('leaves no rights behind, and keeps the token in the cluster alone', async () => {
    await inCluster(async ({ kubernetes }) => {
      expect(await kubernetes.get(CLUSTER_ROLE_BINDINGS, 'cilium-install')).toBeUndefined();
      const agents = await kubernetes.get(DAEMON_SETS, 'cilium', 'kube-system');
      expect(agents?.spec?.template.spec?.containers[0]?.image).toBe('quay.io/cilium/cilium:v1.20.2');
      const namespace = await kubernetes.get(NAMESPACES, 'csi-proxmox');
      expect(namespace?.metadata?.labels).toMatchObject({
        'pod-security.kubernetes.io/enforce': 'privileged',
      });
      const key = await kubernetes.get(SECRETS, 'sealed-secrets-bootstrap-key', 'sealed-secrets');
      expect(key?.type).toBe('kubernetes.io/tls');
    });
  });

  it('has a GatewayClass, because the definitions came first', async () => {
    await inCluster(async ({ kubernetes }) => {
      expect(await kubernetes.get(GATEWAY_CLASSES, 'cilium')).toBeDefined();
      const pods = await kubernetes.list(PODS, { namespace: 'csi-proxmox' });
      expect(pods.map((pod) => pod.status?.phase)).toEqual(pods.map(() => 'Running'));
      expect(pods.length).toBeGreaterThan(1);
    });
  });

  const releases = [
    ['pending-install', 'first'],
    ['failed', 'first'],
    ['pending-rollback', 'second'],
  ] as const;
  it.each(WHOLE ? releases : [])(
    'recovers a Cilium that Helm left as %s with its %s release',
    async (status, release) => {
      const copy = folder.copy();
      try {
        await withCluster(copy, API, async ({ kubernetes }) => {
          const releases = await kubernetes.list(SECRETS, {
            namespace: 'kube-system',
            labelSelector: 'owner=helm',
          });
          expect(releases).toHaveLength(1);
          const name = releases[0]?.metadata?.name ?? '';
          const labels = { owner: 'helm', name: 'cilium', status };
          const namespace = 'kube-system';
          if (release === 'first')
            await kubernetes.patch(SECRETS, name, { metadata: { labels } }, { kind: 'merge', namespace });
          else
            await kubernetes.apply({
              apiVersion: 'v1',
              kind: 'Secret',
              metadata: { name: 'sh.helm.release.v1.cilium.v2', namespace, labels },
              type: 'helm.sh/release.v1',
            });
          await kubernetes.delete(CONFIG_MAPS, 'cilium-values', { namespace });
          if (release === 'first') await kubernetes.delete(DAEMON_SETS, 'cilium', { namespace });
        });
        expect(await copy.lab('apply', '--yes')).toMatchObject({ exit: 0 });
        await withCluster(copy, API, async ({ kubernetes }) => {
          const labelSelector = 'owner=helm,name=cilium';
          const left = await kubernetes.list(SECRETS, { namespace: 'kube-system', labelSelector });
          const ended = left.map(({ metadata }) => metadata?.labels?.status).sort();
          expect(ended).toEqual(release === 'first' ? ['deployed'] : ['deployed', 'superseded']);
        });
        expect(await copy.lab('plan', '--exit-code')).toMatchObject({ exit: 0 });
      } finally {
        copy.remove();
      }
    },
  );

  it('gives the driver the rights it needs, and no others', async () => {
    await inCluster(async ({ kubernetes, lab, hand }) => {
      const secret = await kubernetes.get(SECRETS, 'proxmox-csi-plugin', 'csi-proxmox');
      const token = csiTokenIn(secret?.data ?? {});
      expect(token.tokenId).toBe('oxherd_small.csi@pve!csi');
      await hand.runTask(() => hand.createVm('pve1', 900, { name: 'somebody-else' }));
      const driver = connectProxmox({
        endpoints: [lab.endpoint],
        token: `${token.tokenId}=${token.secret}`,
        tls: { kind: 'fingerprint', sha256: lab.fingerprint },
        clock: lab.clock,
        random: () => 0.5,
      });
      try {
        const listed = await driver.storageContent('pve1', 'local-zfs');
        expect(listed.map(({ volid }) => volid)).toContain('local-zfs:vm-9999-_edead18787-pv-photos');
        const made = await driver.allocVolume('pve1', 'local-zfs', {
          vmid: 9999,
          filename: 'vm-9999-pvc-test',
          size: 1024 ** 3,
        });
        const attach = { set: { scsi9: `${made},backup=0` } };
        await driver.runTask(() => driver.updateVmTask('pve1', 151, attach));
        await driver.runTask(() => driver.resizeDisk('pve1', 151, 'scsi9', 2 * 1024 ** 3));
        await driver.unlinkDisks('pve1', 151, ['scsi9']);
        const denied = { code: 'proxmox.forbidden' };
        await expect(driver.vmConfig('pve1', 1510)).rejects.toMatchObject(denied);
        await expect(driver.deleteVolume('pve1', 'local-zfs:vm-1510-disk-0')).rejects.toMatchObject(denied);
        await expect(
          driver.runTask(() =>
            driver.updateVmTask('pve1', 151, { set: { scsi9: 'local-zfs:vm-1520-disk-0' } }),
          ),
        ).rejects.toThrow();
        await expect(driver.updateVm('pve1', 900, attach)).rejects.toMatchObject(denied);
        await expect(driver.runTask(() => driver.createVm('pve1', 901, {}))).rejects.toMatchObject(denied);
        await expect(driver.deleteVolume('pve1', made)).rejects.toMatchObject(denied);
      } finally {
        await driver.close();
        await hand.runTask(() => hand.deleteVolume('pve1', 'local-zfs:vm-9999-pvc-test'));
      }
    });
  });

  it('plans a changed value as an upgrade', async () => {
    await converges(config({ cilium: '{ hubble: false }' }), /upgrade Cilium v1\.20\.2/);
  });

  if (WHOLE)
    it('goes one minor version at a time', async () => {
      folder.config = config({ cilium: '{ version: v1.23.0 }' });
      const far = await folder.lab('plan');
      expect(far.exit).toBe(1);
      expect(far.stdout).toContain('Cilium is v1.20.2; oxherd.yaml says v1.23.0');
      expect(far.stdout).toContain('write the latest patch release of v1.21 first');
      await converges(config({ cilium: '{ version: v1.21.3 }' }), /upgrade Cilium v1\.21\.3/);
      await inCluster(async ({ kubernetes }) => {
        const agents = await kubernetes.get(DAEMON_SETS, 'cilium', 'kube-system');
        expect(agents?.spec?.template.spec?.containers[0]?.image).toContain(':v1.21.3');
        expect(await kubernetes.get(CLUSTER_ROLE_BINDINGS, 'cilium-install')).toBeUndefined();
      });
      await converges(config(), /upgrade Cilium v1\.20\.2/);
    });

  it('tells what someone changed anywhere from what oxherd.yaml changed, and brings it back', async () => {
    await inCluster(async (access) => {
      const { kubernetes, hand } = access;
      const patch = { spec: { persistentVolumeReclaimPolicy: 'Delete' } };
      await kubernetes.patch(PERSISTENT_VOLUMES, 'pv-wiki', patch, { kind: 'merge' });
      await kubernetes.delete(STORAGE_CLASSES, 'proxmox-csi');
      await kubernetes.delete(SECRETS, 'proxmox-csi-plugin', { namespace: 'csi-proxmox' });
      await hand.updateVm('pve1', 141, { set: { vga: 'serial0' } });
      await hand.updateVm('pve1', 151, {
        set: { cores: 3, tags: 'k8s;mine;oxherd_small;worker', onboot: 0 },
      });
      await hand.updateVm('pve2', 1520, { set: { protection: 0 } });
      await editMachineConfig(access, '10.20.30.52', ['machine', 'sysctls'], { 'vm.swappiness': '1' });
    });
    const described = config().replace('ip: 10.20.30.41', 'description: "the first", ip: 10.20.30.41');
    folder.config = described;
    const drift = await folder.lab('plan', '--drift-only', '--exit-code');
    expect(drift.exit).toBe(2);
    await expect(drift.stdout).toMatchFileSnapshot('../fixtures/plans/drift-everywhere.txt');
    await converges(described, /persistentVolumeReclaimPolicy differs from what was applied/);
    const none = await folder.lab('plan', '--drift-only');
    expect(none.stdout).toMatch(
      /VM 141 \(cp-1\) has vga serial0 set outside oxherd.*\n\nNo drift to correct/,
    );
    await inCluster(async ({ kubernetes, hand }) => {
      const volume = await kubernetes.get(PERSISTENT_VOLUMES, 'pv-wiki');
      expect(volume?.spec?.persistentVolumeReclaimPolicy).toBe('Retain');
      await hand.updateVm('pve1', 141, { delete: ['vga'] });
    });
    await converges(config(), /set description of VM 141/);
  });

  it.runIf(WHOLE)('keeps manifests of the user’s own up to date, custom kinds too', async () => {
    const manifest = (colour: string) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: barns.farm.example.com }
spec:
  group: farm.example.com
  scope: Namespaced
  names: { plural: barns, singular: barn, kind: Barn, listKind: BarnList }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
---
apiVersion: v1
kind: Namespace
metadata: { name: farm }
---
apiVersion: farm.example.com/v1
kind: Barn
metadata: { name: red, namespace: farm }
spec: { colour: ${colour} }
`;
    const more = '  manifests: [barn.yaml]';
    folder.write('barn.yaml', manifest('red'));
    await converges(config({ more }), /create Barn farm\/red/);
    await inCluster(async ({ kubernetes }) => {
      const barns = await kubernetes.resourceOf('farm.example.com/v1', 'Barn');
      const patch = { spec: { colour: 'blue' } };
      await kubernetes.patch(barns, 'red', patch, { kind: 'merge', namespace: 'farm' });
    });
    expect((await folder.lab('plan', '--drift-only')).stdout).toMatch(
      /Barn farm\/red of barn\.yaml was changed in the cluster: spec\.colour \(oxherd\); that stays/,
    );
    folder.write('barn.yaml', manifest('green'));
    await converges(config({ more }), /change Barn farm\/red/);
    await inCluster(async ({ kubernetes }) => {
      const barn = await kubernetes.get(
        await kubernetes.resourceOf('farm.example.com/v1', 'Barn'),
        'red',
        'farm',
      );
      expect(barn).toMatchObject({ spec: { colour: 'green' } });
    });
    folder.config = config();
  });

  it('grows an attached volume with its disk and claim, and tells of one that is not attached', async () => {
    folder.config = config({ photos: '3GiB' });
    const later = await folder.lab('plan', '--exit-code');
    expect(later.stdout).toContain('volume pv-photos (2GiB → 3GiB) is attached to no VM and cannot grow now');
    expect(later.exit).toBe(0);

    await inCluster(async ({ kubernetes, hand }) => {
      await kubernetes.apply(claim('photos', 'pv-photos', '2Gi'));
      await kubernetes.apply(podWith('app', 'photos'));
      const running = (pod: { status?: { phase?: string } } | undefined) => pod?.status?.phase === 'Running';
      await kubernetes.waitFor(PODS, 'app', 'default', running, { timeoutMs: 600_000 });
      const [attachment] = await kubernetes.list(VOLUME_ATTACHMENTS);
      expect(attachment).toMatchObject({ spec: { nodeName: 'work-1' }, status: { attached: true } });
      const { values } = await hand.vmConfig('pve1', 151);
      expect(Object.values(values).join('\n')).toContain('local-zfs:vm-9999-_edead18787-pv-photos');
    });
    const list = await folder.lab('volumes', 'list', '--json');
    expect(JSON.parse(list.stdout)).toContainEqual(
      expect.objectContaining({
        name: 'pv-photos',
        kind: 'csi',
        state: 'attached',
        usedBy: 151,
        node: 'work-1',
        phase: 'Bound',
        persistentVolume: 'pv-photos',
        claim: 'default/photos',
      }),
    );
    await converges(config({ photos: '3GiB' }), /grow volume pv-photos to 3GiB/);
    await inCluster(async ({ kubernetes, hand }) => {
      const { size } = await hand.volumeInfo('pve1', 'local-zfs:vm-9999-_edead18787-pv-photos');
      expect(size).toBe(3 * 1024 ** 3);
      const volume = await kubernetes.get(PERSISTENT_VOLUMES, 'pv-photos');
      expect(volume?.spec?.capacity).toEqual({ storage: '3Gi' });
      const grown = await kubernetes.get(PERSISTENT_VOLUME_CLAIMS, 'photos', 'default');
      expect(grown?.spec?.resources?.requests).toEqual({ storage: '3Gi' });
      await kubernetes.delete(PODS, 'app', { namespace: 'default' });
      const gone = (object: unknown) => object === undefined;
      const [attachment] = await kubernetes.list(VOLUME_ATTACHMENTS);
      const name = attachment?.metadata?.name ?? '';
      await kubernetes.waitFor(VOLUME_ATTACHMENTS, name, undefined, gone, { timeoutMs: 600_000 });
    });
  });

  if (WHOLE)
    it('grows a volume that no one uses when a pod uses it next', async () => {
      await converges(config({ photos: '4GiB' }), /resize claim default\/photos to 4GiB/);
      const waits = await folder.lab('plan');
      expect(waits.stdout).toContain(
        'pv-photos (3GiB → 4GiB) is attached to no VM and cannot grow now; it grows',
      );
      await inCluster(async ({ kubernetes, hand }) => {
        await kubernetes.apply(podWith('app', 'photos'));
        await kubernetes.waitFor(
          PERSISTENT_VOLUME_CLAIMS,
          'photos',
          'default',
          (object) => object?.status?.capacity?.storage === '4Gi',
          { timeoutMs: 600_000 },
        );
        const { size } = await hand.volumeInfo('pve1', 'local-zfs:vm-9999-_edead18787-pv-photos');
        expect(size).toBe(4 * 1024 ** 3);
        const volume = await kubernetes.get(PERSISTENT_VOLUMES, 'pv-photos');
        expect(volume?.spec?.capacity).toEqual({ storage: '4Gi' });
      });
      // Disk, PersistentVolume and claim agree: nothing is left to do.
      expect(await folder.lab('plan', '--exit-code')).toMatchObject({ exit: 0 });
    });
});

const REBUILT = [
  { what: 'without env', env: '', volume: 'local-zfs:vm-9999-_edead18787-pv-photos', worker: 'work-1' },
  {
    what: 'with env and a renamed node',
    env: 'dev',
    volume: 'local-zfs:vm-9999-_3a280dbe5e-pv-photos',
    worker: 'barn-1',
  },
];

describe.each(WHOLE ? REBUILT : [])('destroyed and made again $what', ({ env, volume, worker }) => {
  let folder: CliFolder;
  beforeAll(() => {
    folder = CliFolder.make(config({ env }));
  });
  afterAll(() => folder.remove());

  it('finds its volumes again', async () => {
    expect(await folder.lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
    const contents = () =>
      folder.withLab(async ({ lab }) =>
        [...lab.proxmox.pve.db.volumes.entries()]
          .filter(([key]) => key.includes('vm-9999') || /vm-15\d0-/.test(key))
          .map(([key, record]) => [key, record.size, record.data.partitions]),
      );
    const before = await contents();
    expect(before.map(([key]) => key)).toContain(`pve1/${volume}`);
    expect((await folder.lab('destroy', '--yes')).exit).toBe(0);
    expect(await contents()).toEqual(before);
    folder.config = config({ env, worker });
    expect(await folder.lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
    expect(await contents()).toEqual(before);
    const plan = await folder.lab('plan', '--exit-code');
    expect(plan).toMatchObject({ exit: 0, stdout: expect.stringMatching(/No changes/) });
    await withCluster(folder, API, async ({ kubernetes }) => {
      const found = await kubernetes.get(PERSISTENT_VOLUMES, 'pv-photos');
      expect(found?.spec?.csi?.volumeHandle).toBe(`rack/pve1/local-zfs/${volume.split(':')[1]}`);
    });
  });
});
