import { describe, expect, it } from 'vitest';
import { configChange, REDACTED_CHANGE } from './config-change.js';

type Document = Record<string, unknown>;

function change(before: Document[], after: Document[], version = 'v1.14.1') {
  return configChange(JSON.stringify(before), JSON.stringify(after), version);
}

const main = (machine: Document): Document => ({ version: 'v1alpha1', machine });

describe('a changed machine config', () => {
  it.each([
    ['kubelet', 'extraArgs', 'v1.12.0', 'try'],
    ['sysctls', 'vm.max_map_count', 'v1.13.9', 'no-reboot'],
    ['install', 'image', 'v1.13.9', 'no-reboot'],
    ['env', 'http_proxy', 'v1.14.1', 'staged'],
    ['files', 'path', 'v1.14.1', 'staged'],
    ['features', 'diskQuotaSupport', 'v1.14.1', 'staged'],
    ['features', 'kubePrism', 'v1.12.0', 'try'],
    ['systemDiskEncryption', 'state', 'v1.14.1', 'staged'],
    // 1.14 has a controller for them.
    ['udev', 'rules', 'v1.13.9', 'staged'],
    ['udev', 'rules', 'v1.14.1', 'no-reboot'],
    // containerd reads logins when it starts; 1.14 starts it again.
    ['registries', 'mirrors', 'v1.14.1', 'no-reboot'],
    ['registries', 'config', 'v1.13.9', 'staged'],
    ['registries', 'config', 'v1.14.1', 'try'],
  ])('machine.%s.%s on %s: %s', (section, field, version, mode) => {
    const result = change(
      [main({ [section]: { [field]: 'a' } })],
      [main({ [section]: { [field]: 'b' } })],
      version,
    );
    expect(result).toMatchObject({ mode, paths: [`machine.${section}.${field}`] });
  });

  it.each([
    ['LinkConfig', 'try'],
    ['Layer2VIPConfig', 'try'],
    ['RegistryMirrorConfig', 'no-reboot'],
    ['RegistryAuthConfig', 'try'],
    ['EtcFileConfig', 'no-reboot'],
    ['FilesystemTrimConfig', 'no-reboot'],
    ['TrustedRootsConfig', 'no-reboot'],
    ['CRICustomizationConfig', 'try'],
    ['EnvironmentConfig', 'staged'],
    ['VolumeConfig', 'staged'],
    ['UserVolumeConfig', 'staged'],
    // A kind that is not known here.
    ['FutureConfig', 'staged'],
  ])('%s: %s', (kind, mode) => {
    const document = (mtu: number) => ({ apiVersion: 'v1alpha1', kind, name: 'x', mtu });
    expect(change([document(1)], [document(2)])).toMatchObject({ mode, paths: [`${kind}/x.mtu`] });
  });

  it.each(['RegistryAuthConfig', 'TrustedRootsConfig'])('%s waits for a boot up to 1.13', (kind) => {
    const document = (value: number) => ({ apiVersion: 'v1alpha1', kind, name: 'x', value });
    expect(change([document(1)], [document(2)], 'v1.13.9').mode).toBe('staged');
  });

  it.each(['externalCloudProvider', 'adminKubeconfig', 'clusterName', 'aFieldOfALaterTalos'])(
    'cluster.%s, which is in no table, is rolled with a reboot',
    (field) => {
      for (const version of ['v1.12.0', 'v1.13.9', 'v1.14.1'])
        expect(
          change([{ cluster: {} }], [{ cluster: { [field]: { enabled: true } } }], version),
        ).toMatchObject({
          mode: 'staged',
          restarts: [],
        });
    },
  );

  it('with other parts of containerd restarts cri; every other file waits for a boot', () => {
    const part = { path: '/etc/cri/conf.d/20-customization.part', content: 'a', op: 'create' };
    const file = { path: '/var/etc/motd', content: 'a', op: 'create' };
    const files = (...list: Document[]) => [main({ files: list })];
    expect(change([main({})], files(part))).toMatchObject({ mode: 'try', restarts: ['cri'] });
    expect(change(files(file, part), files(file))).toMatchObject({ mode: 'try', restarts: ['cri'] });
    expect(change(files(part), files({ ...part, content: 'b' }), 'v1.13.9').mode).toBe('staged');
    expect(change(files(part), files(part, file)).mode).toBe('staged');
    expect(change(files(file), files({ ...file, content: 'b' })).mode).toBe('staged');
  });

  it('with another MTU is tried; an MTU that is removed goes at a reboot', () => {
    const link = (more: Document) => [{ kind: 'LinkConfig', name: 'net0', up: true, ...more }];
    expect(change(link({}), link({ mtu: 9000 })).mode).toBe('try');
    expect(change(link({ mtu: 9000 }), link({ mtu: 1400 })).mode).toBe('try');
    expect(change(link({ mtu: 9000 }), link({})).mode).toBe('staged');
    const old = (more: Document) => [main({ network: { interfaces: [{ interface: 'eth0', ...more }] } })];
    expect(change(old({}), old({ mtu: 9000 })).mode).toBe('try');
    expect(change(old({ mtu: 9000 }), old({})).mode).toBe('staged');
  });

  it('with a sysfs value goes out at once; a value that is removed goes at a reboot', () => {
    const sysfs = (values: Document) => [main({ sysfs: values })];
    const key = 'kernel.mm.transparent_hugepage.enabled';
    expect(change(sysfs({}), sysfs({ [key]: 'never' })).mode).toBe('no-reboot');
    expect(change(sysfs({ [key]: 'never' }), sysfs({ [key]: 'always' })).mode).toBe('no-reboot');
    expect(change(sysfs({ [key]: 'never' }), sysfs({})).mode).toBe('staged');
    expect(change(sysfs({ [key]: 'never' }), [main({})]).mode).toBe('staged');
    const document = { kind: 'SysfsConfig', name: 'a', value: 'never' };
    expect(change([document], []).mode).toBe('staged');
  });

  it.each([
    [{ apiServer: { extraArgs: { v: '2' } } }, 'try', ['kube-apiserver']],
    [
      { scheduler: { image: 'x' }, controllerManager: { image: 'y' } },
      'try',
      ['kube-controller-manager', 'kube-scheduler'],
    ],
    // Manifests do not go back with a config that was tried.
    [{ apiServer: { image: 'x' }, extraManifests: ['https://x'] }, 'no-reboot', ['kube-apiserver']],
    // The static pods get other certificates, and the kubelet too.
    [
      { ca: { crt: 'x' } },
      'no-reboot',
      ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet'],
    ],
    [{ extraManifests: ['https://x'] }, 'no-reboot', []],
    [{ etcd: { extraArgs: { 'election-timeout': '1' } } }, 'staged', []],
    [{ etcd: { subnet: 'x' }, apiServer: { image: 'x' } }, 'staged', []],
  ])('cluster %j: %s', (cluster, mode, restarts) => {
    expect(change([{ cluster: {} }], [{ cluster }])).toMatchObject({ mode, restarts });
  });

  it('knows what of a document restarts nothing, and names with dots', () => {
    const vip = { apiVersion: 'v1alpha1', kind: 'Layer2VIPConfig', name: '10.0.0.1', link: 'a' };
    expect(change([vip], [{ ...vip, link: 'b' }])).toMatchObject({ mode: 'try', restarts: ['network'] });
    const node = (labels: Document) => ({ apiVersion: 'v1alpha1', kind: 'KubeNodeConfig', labels });
    expect(change([node({ a: '1' })], [node({ a: '2' })])).toMatchObject({ mode: 'no-reboot', restarts: [] });
    const name = (hostname: string) => ({ apiVersion: 'v1alpha1', kind: 'HostnameConfig', hostname });
    expect(change([name('a')], [name('b')])).toMatchObject({ mode: 'no-reboot', restarts: ['kubelet'] });
  });

  it('makes a new user volume at once, and closes one at once from 1.14 on', () => {
    const volume = { apiVersion: 'v1alpha1', kind: 'UserVolumeConfig', name: 'data' };
    expect(change([], [volume]).mode).toBe('no-reboot');
    expect(change([volume], [], 'v1.13.9').mode).toBe('staged');
    expect(change([volume], [], 'v1.14.1').mode).toBe('no-reboot');
    expect(change([{ ...volume, kind: 'RawVolumeConfig' }], []).mode).toBe('staged');
    const tpm = { ...volume, encryption: { provider: 'luks2', keys: [{ slot: 0, tpm: {} }] } };
    expect(change([], [tpm]).mode).toBe('staged');
    const keys = { provider: 'luks2', keys: [{ slot: 0, nodeID: {} }] };
    expect(change([volume], [{ ...volume, encryption: keys }]).mode).toBe('staged');
  });

  it('leaves volumes that are there where they are: other selectors and defaults that are written out are live', () => {
    const ephemeral = (provisioning: Document) => ({ kind: 'VolumeConfig', name: 'EPHEMERAL', provisioning });
    const user = (more: Document) => ({ kind: 'UserVolumeConfig', name: 'data', ...more });
    const by = (match: string) => ({ diskSelector: { match } });
    const { mode, paths } = change(
      [ephemeral(by('!system_disk')), user({ provisioning: by('disk.size == 7u * GiB') })],
      [ephemeral({ ...by('a'), grow: true }), user({ provisioning: by('b'), filesystem: { type: 'xfs' } })],
    );
    expect([mode, paths.length]).toEqual(['no-reboot', 4]);
    expect(change([ephemeral({ grow: true })], [ephemeral({ grow: false })]).mode).toBe('staged');
    expect(change([ephemeral({ maxSize: '1GiB' })], [ephemeral({ maxSize: '2GiB' })]).mode).toBe('staged');
  });

  it('finds nothing in another order of keys', () => {
    const hostname = { kind: 'HostnameConfig', auto: 'off', hostname: 'a' };
    const turned = { hostname: 'a', auto: 'off', kind: 'HostnameConfig' };
    const [before, after] = [main({ sysctls: { a: '1' } }), main({ sysctls: { a: '2' } })];
    expect(change([before, hostname], [after, turned]).paths).toEqual(['machine.sysctls.a']);
  });

  it('is a reboot as soon as one part of it is', () => {
    const result = change([main({ sysctls: { a: '1' }, env: {} })], [main({ sysctls: {}, env: { b: '2' } })]);
    expect(result).toMatchObject({ mode: 'staged', rebootPaths: ['machine.env.b'] });
  });

  it('looks into a section that comes or goes', () => {
    const mirrors = { registries: { mirrors: { 'docker.io': { endpoints: ['https://mirror.lan'] } } } };
    expect(change([main({})], [main(mirrors)])).toMatchObject({
      mode: 'no-reboot',
      paths: ['machine.registries.mirrors'],
    });
    expect(change([main({ features: { rbac: true } })], [main({})])).toMatchObject({
      mode: 'staged',
      paths: ['machine.features.rbac'],
    });
    expect(change([main({})], [main({ env: {} })])).toMatchObject({ paths: ['machine.env'] });
  });

  it('is staged where only what is not shown differs, and says so', () => {
    const same = [main({ token: '**' })];
    expect(change(same, same)).toMatchObject({ mode: 'staged', paths: [REDACTED_CHANGE] });
  });

  it('shows what differs and nothing of the order', () => {
    const { diff } = change(
      [{ kind: 'B', name: 'b', a: 1, c: 2 }, main({ sysctls: { x: '1' } })],
      [main({ sysctls: { x: '2' } }), { c: 2, kind: 'B', a: 1, name: 'b' }],
    );
    const changed = diff.split('\n').filter((line) => /^[-+](?![-+])/.test(line));
    expect(changed).toEqual(['-    x: "1"', '+    x: "2"']);
  });
});
