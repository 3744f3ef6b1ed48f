import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { config, csiVolume, gib } from '../../../test/support/design/config.js';
import type { Config } from '../../config/config.js';
import type { CsiVolume } from '../../config/volume-config.js';
import { design } from '../design-cluster.js';
import { ciliumJob } from './cilium.js';
import { ciliumValues, merged } from './cilium-values.js';
import { csiSecret, csiTokenIn } from './csi.js';
import { type KubernetesFacts, kubernetesDesign } from './kubernetes-design.js';
import { APPLIED, managed, refText } from './managed-object.js';
import { volumeHandle } from './persistent-volumes.js';
import { parseQuantity, quantity } from './quantity.js';
import { objectsInFile } from './user-manifests.js';

const volume = (overrides: Partial<CsiVolume> = {}): CsiVolume =>
  csiVolume('pv-foo', { size: gib(2), ...overrides });

const CILIUM: NonNullable<Config['kubernetes']['cilium']> = {
  version: 'v1.20.2',
  cliImage: 'quay.io/cilium/cilium-cli:v0.18.9',
  hubble: true,
  gatewayApi: true,
  l2Announcements: true,
};
const EVERYTHING: Config['kubernetes'] = {
  manifests: [],
  cilium: CILIUM,
  gatewayApi: { version: 'v1.6.3', channel: 'standard' },
  sealedSecrets: { generate: true },
  csi: { delete: false, acceptDeleteRisk: false, storageClasses: [], driver: 'built-in', images: {} },
};
const NOTHING_KNOWN: KubernetesFacts = { storages: {}, sizes: {} };

function designed(overrides: Partial<Config> = {}, facts: KubernetesFacts = NOTHING_KNOWN) {
  const whole = config({ kubernetes: EVERYTHING, volumes: [volume()], ...overrides });
  return kubernetesDesign(whole, design(whole), facts);
}

describe('objects of a cluster', () => {
  it('ask the driver for backups only where the file does', () => {
    const storageClass = {
      name: 'fast',
      storage: 'tank',
      filesystem: 'ext4',
      ssd: true,
      reclaim: 'Retain',
    } as const;
    const said = (backup: boolean) => {
      const csi = { delete: false, acceptDeleteRisk: false, driver: 'built-in', images: {} } as const;
      const { objects } = designed({
        kubernetes: { manifests: [], csi: { ...csi, storageClasses: [{ ...storageClass, backup }] } },
        volumes: [volume({ backup })],
      });
      return objects
        .filter(({ ref }) => ref.name === 'fast' || ref.kind === 'PersistentVolume')
        .map(({ object }) => /"backup":"true"/.test(JSON.stringify(object)));
    };
    expect(said(true)).toEqual([true, true]);
    expect(said(false)).toEqual([false, false]);
  });

  it('come in an order in which they can be applied, and no secret is among generated ones', () => {
    expect(designed().objects.map(({ ref }) => refText(ref))).toEqual([
      'Namespace csi-proxmox',
      'StorageClass proxmox-csi',
      'CSIDriver csi.proxmox.sinextra.dev',
      'ServiceAccount csi-proxmox/proxmox-csi-plugin-controller',
      'ServiceAccount csi-proxmox/proxmox-csi-plugin-node',
      'ClusterRole proxmox-csi-plugin-controller',
      'ClusterRole proxmox-csi-plugin-node',
      'ClusterRoleBinding proxmox-csi-plugin-controller',
      'ClusterRoleBinding proxmox-csi-plugin-node',
      'Role csi-proxmox/proxmox-csi-plugin-controller',
      'RoleBinding csi-proxmox/proxmox-csi-plugin-controller',
      'Deployment csi-proxmox/proxmox-csi-plugin-controller',
      'DaemonSet csi-proxmox/proxmox-csi-plugin-node',
      'PersistentVolume pv-foo',
      'Namespace sealed-secrets',
    ]);
  });

  it('are the same bytes every time, whatever the order of oxherd.yaml', () => {
    const volumes = [volume({ name: 'pv-b' }), volume({ name: 'pv-a' })];
    expect(JSON.stringify(designed({ volumes }))).toBe(
      JSON.stringify(designed({ volumes: volumes.toReversed() })),
    );
  });

  it('carry a hash that changes with every value', () => {
    const hashes = [
      volume(),
      volume({ size: gib(3) }),
      volume({ filesystem: 'xfs' }),
      volume({ host: 'pve2' }),
    ].map(
      (one) => designed({ volumes: [one] }).objects.find(({ ref }) => ref.kind === 'PersistentVolume')?.hash,
    );
    expect(new Set(hashes).size).toBe(4);
    const { object, hash } = managed(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } },
      'test',
    );
    expect(object.metadata).toEqual({
      name: 'x',
      labels: { 'app.kubernetes.io/managed-by': 'oxherd' },
      annotations: { [APPLIED]: hash },
    });
  });

  it('hold an own key pair of sealed-secrets, and generate none then', () => {
    const sealedSecrets = {
      certificate: { path: 'a.crt', text: 'CERT' },
      key: { kind: 'file', path: 'a.key' } as const,
      generate: false,
    };
    const result = designed(
      { kubernetes: { ...EVERYTHING, sealedSecrets } },
      { ...NOTHING_KNOWN, sealedKey: 'KEY' },
    );
    expect(result.generateSealedKey).toBe(false);
    const pair = result.objects.find(({ ref }) => ref.name === 'sealed-secrets-bootstrap-key');
    expect(pair).toMatchObject({
      secret: true,
      object: { data: { 'tls.crt': btoa('CERT'), 'tls.key': btoa('KEY') } },
    });
    expect(JSON.stringify(pair?.ref)).not.toContain('KEY');
  });

  it('retain volumes, and say how large their disks are', () => {
    const facts = { storages: {}, sizes: { 'pv-foo': gib(1) } };
    const persistent = designed({}, facts).objects.find(({ ref }) => ref.kind === 'PersistentVolume');
    expect(persistent?.object.spec).toMatchObject({
      capacity: { storage: '1Gi' },
      persistentVolumeReclaimPolicy: 'Retain',
      csi: { volumeHandle: 'homelab/pve1/tank/vm-9999-_b8ac1fc590-pv-foo' },
    });
  });
});

describe('volume handles', () => {
  const [foo] = design(config({ volumes: [volume()] })).csiVolumes;
  it.each([
    ['zfspool', false, 'rack/pve1/tank/vm-9999-_b8ac1fc590-pv-foo'],
    ['rbd', true, 'rack//tank/vm-9999-_b8ac1fc590-pv-foo'],
    ['dir', false, 'rack/pve1/tank/9999/vm-9999-_b8ac1fc590-pv-foo.raw'],
    ['nfs', true, 'rack//tank/9999/vm-9999-_b8ac1fc590-pv-foo.raw'],
  ])('of %s, shared %s', (type, shared, handle) => {
    expect(foo && volumeHandle('rack', foo, { type, shared })).toBe(handle);
  });
});

describe('Cilium', () => {
  it('gets values for Talos, with the user’s over them', () => {
    const whole = config({ kubernetes: { ...EVERYTHING } });
    const values = ciliumValues(whole, {
      ...CILIUM,
      values: { ipam: { mode: 'cluster-pool' }, hubble: null },
    });
    expect(values).toMatchObject({ k8sServicePort: 7445, ipam: { mode: 'cluster-pool' } });
    expect(values).not.toHaveProperty('hubble');
  });

  it('asks for the Gateway API only where its definitions are', () => {
    const { gatewayApi: _, ...without } = EVERYTHING;
    expect(ciliumValues(config({ kubernetes: without }), CILIUM)).toMatchObject({
      gatewayAPI: { enabled: false },
    });
  });

  it('is known by version and values, not by the image of its installer', () => {
    const hash = (cilium: typeof CILIUM) => designed({ kubernetes: { ...EVERYTHING, cilium } }).cilium?.hash;
    expect(hash({ ...CILIUM, cliImage: 'other:v1' })).toBe(hash(CILIUM));
    expect(hash({ ...CILIUM, version: 'v1.20.3' })).not.toBe(hash(CILIUM));
    expect(hash({ ...CILIUM, values: { debug: { enabled: true } } })).not.toBe(hash(CILIUM));
  });

  it('forgets old values when it is upgraded', () => {
    const { cilium } = designed();
    const command = (mode: 'install' | 'upgrade') => JSON.stringify(cilium && ciliumJob(cilium, mode));
    expect(command('upgrade')).toContain('--reset-values');
    expect(command('install')).not.toContain('--reset-values');
  });

  it('merges like Helm: what is over wins, and nothing else is lost', () => {
    const tree = fc.letrec<{ tree: Record<string, unknown> }>((tie) => ({
      tree: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(fc.integer(), tie('tree')), {
        maxKeys: 3,
      }),
    })).tree;
    fc.assert(
      fc.property(tree, tree, (base, over) => {
        const result = merged(base, over);
        expect(merged(result, over)).toEqual(result);
        for (const key of Object.keys(base)) expect(result).toHaveProperty(key);
        for (const [key, value] of Object.entries(over))
          if (typeof value === 'number') expect(result[key]).toBe(value);
      }),
    );
  });
});

describe('the CSI secret', () => {
  it('holds the token and gives it back; its hash does not depend on the secret', () => {
    const { csi } = designed();
    if (!csi) throw new Error('no CSI access');
    const secret = csiSecret(csi, 'abc-def', 'complete');
    const data = secret.data as Record<string, string>;
    expect(csiTokenIn(data)).toEqual({ tokenId: `${csi.user}!csi`, secret: 'abc-def' });
    expect(parse(atob(data['config.yaml'] ?? ''))).toMatchObject({
      clusters: [{ url: expect.stringMatching(/^https:.*\/api2\/json$/), region: csi.region }],
    });
    expect(csiSecret(csi, 'another', 'complete').metadata.annotations).toEqual(secret.metadata.annotations);
  });
});

describe('quantities', () => {
  it('read back what they write', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(1, 1024, 1024 ** 2, 1024 ** 3), (count, unit) => {
        expect(parseQuantity(quantity(count * unit))).toBe(count * unit);
      }),
    );
  });
  it.each([
    ['10G', 10e9],
    ['1.5Gi', 1.5 * 1024 ** 3],
    ['12', 12],
    ['x', undefined],
  ])('%s', (text, bytes) => {
    expect(parseQuantity(text)).toBe(bytes);
  });
});

describe('manifests of the user’s own', () => {
  it('are taken apart, lists too', () => {
    const text =
      '---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Namespace, metadata: {name: a}}\n---\n# nothing\n';
    expect(objectsInFile({ path: 'x.yaml', text }).map((object) => object.metadata.name)).toEqual(['a']);
  });
  it.each(['a: [', 'kind: Pod\n', 'just text\n'])('%j is none', (text) => {
    expect(() => objectsInFile({ path: 'x.yaml', text })).toThrow('this is no Kubernetes manifest');
  });
});
