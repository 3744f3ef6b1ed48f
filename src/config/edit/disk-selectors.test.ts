import { expect, it } from 'vitest';
import { selectsDisks, withoutDiskSelectors } from './disk-selectors.js';

const FILE = `# mine
talos:
  version: v1.14.1 # renovate
  patches:
    worker:
      - |
        # From the machine.
        apiVersion: v1alpha1
        kind: VolumeConfig
        name: EPHEMERAL
        provisioning:
          diskSelector:
            match: "!system_disk"
nodes:
  cp-1:
    role: controlplane # stays
    patches:
      - patches/own.yaml
      - |
        # From the machine.
        machine:
          install:
            diskSelector:
              $patch: delete
          sysctls:
            vm.swappiness: "1"
        ---
        apiVersion: v1alpha1
        kind: UserVolumeConfig
        name: data
        provisioning:
          diskSelector:
            match:
              $patch: delete
        filesystem:
          $patch: delete
      - |
        machine:
          install:
            disk: /dev/sda
            image: ghcr.io/siderolabs/installer:v1.12.0
        ---
        apiVersion: v1alpha1
        kind: UserVolumeConfig
        name: data
        provisioning:
          diskSelector:
            match: disk.size == 7u * GiB
`;

it('takes out what selects disks, and leaves everything else in place', () => {
  const { text, changed } = withoutDiskSelectors(FILE);
  expect(text).toBe(`# mine
talos:
  version: v1.14.1 # renovate
  patches: {}
nodes:
  cp-1:
    role: controlplane # stays
    patches:
      - patches/own.yaml
      - |
        # From the machine.
        machine:
          sysctls:
            vm.swappiness: "1"
      - |
        machine:
          install:
            image: ghcr.io/siderolabs/installer:v1.12.0
`);
  expect(changed).toEqual([
    ['talos', 'patches', 'worker', 0],
    ['nodes', 'cp-1', 'patches', 1],
    ['nodes', 'cp-1', 'patches', 2],
  ]);
  expect(withoutDiskSelectors(text)).toEqual({ text, changed: [] });
});

it.each([
  ['patches/own.yaml', false],
  ['machine: { sysctls: { a: "1" } }\n', false],
  [
    'apiVersion: v1alpha1\nkind: VolumeConfig\nname: STATE\nprovisioning: { diskSelector: { match: system_disk } }\n',
    false,
  ],
  ['apiVersion: v1alpha1\nkind: UserVolumeConfig\nname: x\n$patch: delete\n', false],
  // Without a selector it would erase the one that is there.
  [
    'apiVersion: v1alpha1\nkind: UserVolumeConfig\nname: x\nprovisioning: { diskSelector: { match: a } }\nencryption: { provider: luks2 }\n',
    false,
  ],
  ['{', false],
  ['machine: { install: { disk: /dev/vda } }\n', true],
])('%j selects disks: %s', (patch, selects) => {
  expect(selectsDisks(patch)).toBe(selects);
});
