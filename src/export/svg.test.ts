import { describe, expect, it } from 'vitest';
import { exampleNames, loadExample } from '../../test/support/examples.js';
import type { Config } from '../config/config.js';
import { design } from '../design/design-cluster.js';
import { pictureOf } from './picture/picture.js';
import { svg } from './svg.js';

const drawn = (config: Config) => svg(pictureOf(config, design(config)));

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function boxes(text: string): { kind: string; rect: Rect }[] {
  return [
    ...text.matchAll(
      /<g class="box ([\w ]+)"><rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g,
    ),
  ].map(([, kind = '', x, y, width, height]) => ({
    kind,
    rect: { x: Number(x), y: Number(y), width: Number(width), height: Number(height) },
  }));
}

const overlap = (a: Rect, b: Rect) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

describe('svg', () => {
  it.each(exampleNames())('%s is well-formed and names every VM and volume', (name) => {
    const config = loadExample(name);
    const text = drawn(config);
    const open = [...text.matchAll(/<(svg|g|title|style|text)[ >]/g)].length;
    expect([...text.matchAll(/<\/(svg|g|title|style|text)>/g)]).toHaveLength(open);
    expect(text).not.toMatch(/NaN|undefined|href|url\(/);
    for (const node of design(config).nodes) {
      expect(text).toContain(`VM ${node.talosVm.vmid}`);
      if (node.dataVm) expect(text).toContain(`${node.dataVm.name}, VM ${node.dataVm.vmid}`);
    }
    for (const volume of config.volumes) if (volume.type !== 'directory') expect(text).toContain(volume.name);
    if (config.cluster.vip !== undefined) expect(text).toContain(`VIP ${config.cluster.vip}`);
  });

  it('shows reservations, what is passed through to them, VLANs and how full a host is', () => {
    const text = drawn(
      loadExample('hyperconverged', (file) => file.replace('  dns: [', '  vlan: 7\n  dns: [')),
    );
    for (const label of [
      'truenas',
      'PCI passthrough → HBA',
      'net0 on vmbr0, VLAN 7',
      '36 vCPU, 88 GB RAM',
      '64%',
    ]) {
      expect(text).toContain(label);
    }
  });

  it('keeps boxes of 50 nodes apart', () => {
    const config = loadExample('homelab', (file) =>
      file.replace('role: worker, count: 3', 'role: worker, count: 47'),
    );
    const nodes = boxes(drawn(config)).filter(({ kind }) => /^(worker|controlplane)/.test(kind));
    expect(nodes).toHaveLength(50);
    for (const [i, a] of nodes.entries()) {
      for (const b of nodes.slice(i + 1)) expect(overlap(a.rect, b.rect)).toBe(false);
    }
  });

  it('follows the reader, or is light or dark', () => {
    const config = loadExample('tiny');
    const picture = pictureOf(config, design(config));
    expect(svg(picture)).toContain('prefers-color-scheme:dark');
    expect(svg(picture, 'dark')).not.toContain('prefers-color-scheme');
    expect(svg(picture, 'dark')).toContain('--paper:#0d1117');
    expect(svg(picture, 'light')).toContain('--paper:#ffffff');
  });

  it('writes any name as text', () => {
    const config = loadExample('hyperconverged', (file) =>
      file.replace('title: Storage', 'title: \'<b>"NAS" & Co</b>\''),
    );
    expect(drawn(config)).toContain('&lt;b&gt;&quot;NAS&quot; &amp; Co&lt;/b&gt;');
  });
});
