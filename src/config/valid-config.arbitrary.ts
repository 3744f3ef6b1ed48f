/** Random valid configs for property tests: an object in the shape of the file. */
import fc from 'fast-check';

interface Draft {
  readonly layout: 'data-vm' | 'single';
  readonly controlPlanes: number;
  readonly workers: number;
  readonly grouped: boolean;
  readonly talos: string;
  readonly kubernetes: string;
  readonly volumes: readonly { readonly type: string; readonly size: number; readonly on: string }[];
  readonly machine: Record<string, unknown>;
  readonly profile: 'standard' | 'template';
}

const draft: fc.Arbitrary<Draft> = fc.record({
  layout: fc.constantFrom('data-vm' as const, 'single' as const),
  controlPlanes: fc.constantFrom(1, 3, 5),
  workers: fc.integer({ min: 0, max: 8 }),
  grouped: fc.boolean(),
  talos: fc.constantFrom('v1.12.0', 'v1.13.9', 'v1.14.1'),
  kubernetes: fc.constantFrom('v1.32.0', 'v1.33.4', 'v1.35.2'),
  volumes: fc.array(
    fc.record({
      type: fc.constantFrom('directory', 'disk', 'partition', 'proxmox-csi'),
      size: fc.integer({ min: 1, max: 500 }),
      on: fc.constantFrom('all', 'controlplane', 'worker'),
    }),
    { maxLength: 6 },
  ),
  machine: fc.record(
    {
      cores: fc.integer({ min: 4, max: 64 }),
      memory: fc.constantFrom('4GiB', '8192MiB', '16G'),
      disk: fc.constantFrom('20GiB', '256G'),
      storage: fc.constantFrom('local-zfs', 'ceph', 'fast.nvme'),
      cpuType: fc.constantFrom('host', 'x86-64-v3', 'custom-model'),
      vlan: fc.integer({ min: 0, max: 4094 }),
      queues: fc.integer({ min: 1, max: 4 }),
      tags: fc.uniqueArray(fc.constantFrom('a', 'b-c', 'd_e', '1+2')),
      labels: fc.constant({ 'example.com/rack': 'r7' }),
      startup: fc.record({ order: fc.integer({ min: 1, max: 100 }) }),
      bios: fc.constantFrom('seabios', 'ovmf'),
    },
    { requiredKeys: [] },
  ),
  profile: fc.constantFrom('standard' as const, 'template' as const),
});

/** Plain data: what a YAML reader would give. */
export const validConfigFile: fc.Arbitrary<Record<string, Record<string, unknown>>> = draft.map(toFile);

function toFile(draft: Draft): Record<string, Record<string, unknown>> {
  const { layout, profile } = draft;
  return {
    cluster: {
      name: 'lab',
      vip: '10.0.0.5',
      kubernetes: draft.kubernetes,
      scheduleOnControlPlanes: true,
    },
    talos: { version: draft.talos },
    proxmox: { endpoint: 'https://pve1:8006', cluster: 'lab', token: 'env:TOKEN' },
    network: { subnet: '10.0.0.0/24', gateway: '10.0.0.1', firstBoot: 'static' },
    defaults: { profile, all: { ...draft.machine, layout } },
    nodes: {
      ...nodesOf('cp', 'controlplane', draft.controlPlanes, 10, draft.grouped),
      ...nodesOf('work', 'worker', draft.workers, 100, draft.grouped),
    },
    volumes: Object.fromEntries(draft.volumes.map((volume, i) => [`v${i}`, volumeOf(volume, layout)])),
  };
}

function nodesOf(
  name: string,
  role: string,
  count: number,
  first: number,
  grouped: boolean,
): Record<string, unknown> {
  if (count === 0) return {};
  const hosts = ['pve1', 'pve2'];
  if (grouped) return { [name]: { role, count, hosts, ip: `10.0.0.${first}`, vmid: 1000 + first } };
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `${name}-${i + 1}`,
      { role, host: hosts[i % 2], ip: `10.0.0.${first + i}`, vmid: 1000 + first + i },
    ]),
  );
}

function volumeOf(
  { type, size, on }: Draft['volumes'][number],
  layout: Draft['layout'],
): Record<string, unknown> {
  if (type === 'proxmox-csi') return { type, size: `${size}GiB`, host: 'pve1' };
  // One disk takes no further drives.
  if (type === 'directory' || layout === 'single') return { type: 'directory', on };
  return { type, size: `${size}GiB`, on };
}
