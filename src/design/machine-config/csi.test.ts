import { expect, it } from 'vitest';
import { config, gib } from '../../../test/support/design/config.js';
import type { Config } from '../../config/config.js';
import type { DiskVolume } from '../../config/volume-config.js';
import { design } from '../design-cluster.js';
import { MachineConfigWriter } from './machine-config.js';

const LABEL = /csi\.proxmox\.sinextra\.dev\/max-volume-attachments: "?(\d+)"?/;
const disk = (name: string): DiskVolume => ({
  name,
  type: 'disk',
  on: 'all',
  size: gib(1),
  filesystem: 'xfs',
  backup: undefined,
});
const CSI: Config['kubernetes'] = {
  manifests: [],
  csi: { delete: false, acceptDeleteRisk: false, storageClasses: [], driver: 'built-in', images: {} },
};

function limit(overrides: Partial<Config>): string | undefined {
  const whole = config(overrides);
  const [first] = whole.nodes;
  const text = new MachineConfigWriter(whole, design(whole), {}).forNode(first?.name ?? '').text();
  return LABEL.exec(text)?.[1];
}

it('leaves the CSI driver the slots that our own drives do not take', () => {
  // EPHEMERAL is one of ours.
  expect(limit({ kubernetes: CSI })).toBe('28');
  expect(limit({ kubernetes: CSI, volumes: [disk('a'), disk('b')] })).toBe('26');
  expect(limit({})).toBeUndefined();
});

it('lets Talos fetch a driver that is named by its URL, and only such a one', () => {
  const url = 'https://example.com/proxmox-csi-v0.19.1.yaml';
  const text = (manifest: { url: string } | { path: string; text: string }) => {
    const csi = {
      delete: false,
      acceptDeleteRisk: false,
      storageClasses: [],
      driver: { manifest, version: 'v0.19.1' },
      images: {},
    };
    const whole = config({ kubernetes: { manifests: [], csi } });
    const node = whole.nodes.find(({ role }) => role === 'controlplane')?.name ?? '';
    return new MachineConfigWriter(whole, design(whole), {}).forNode(node).text();
  };
  expect(text({ url })).toContain(url);
  expect(text({ path: 'driver.yaml', text: '' })).not.toContain('extraManifests');
});
