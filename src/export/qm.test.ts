import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import moduleVms from '../../test/fixtures/export/module-vm-configs.json' with { type: 'json' };
import { config, diskVolume, nodeConfig, vmOptions } from '../../test/support/design/config.js';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load.js';
import { design } from '../design/design-cluster.js';
import { qmConfigs } from './qm.js';

function linesOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  );
}

function exported(value: Config): ReadonlyMap<number, ReadonlyMap<string, string>> {
  return new Map(qmConfigs(design(value)).map(({ vmid, text }) => [vmid, linesOf(text)]));
}

function textOf(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

function loaded(path: string): Config {
  const result = loadConfig({
    path,
    text: textOf(path),
    readText: (name) => textOf(new URL(name, new URL(path, import.meta.url)).href),
  });
  if (!result.config) throw new Error(result.diagnostics.map((each) => each.message).join('\n'));
  return result.config;
}

/** Values that only Proxmox makes; no file can have them. */
const SERVER_MADE = ['digest', 'meta', 'vmgenid'];
const WWN = /0x3[0-9a-f]{15}/g;
const UUID = /uuid=[0-9a-f-]{36}/;
const MAC = /virtio=BC(:[0-9A-F]{2}){5}/;

/** `key: theirs → ours` for every key that differs; computed identities masked. */
function differences(
  theirs: Readonly<Record<string, string | number>>,
  ours: ReadonlyMap<string, string>,
): readonly string[] {
  const keys = [...new Set([...Object.keys(theirs), ...ours.keys()])].filter(
    (key) => !SERVER_MADE.includes(key),
  );
  const mask = (text: string) =>
    text.replace(WWN, '<wwn>').replace(UUID, 'uuid=<uuid>').replace(MAC, 'virtio=<mac>');
  return keys.sort().flatMap((key) => {
    const [was, is] = [theirs[key], ours.get(key)].map((value) =>
      value === undefined ? '-' : mask(String(value)),
    );
    return was === is ? [] : [`${key}: ${was} → ${is}`];
  });
}

describe("the Terraform module's VMs", () => {
  const matching = loaded('../../test/fixtures/export/module.oxherd.yaml');
  const ours = exported(matching);
  const options = (backup: 0 | 1, replicate: 0 | 1) =>
    `aio=io_uring,backup=${backup},cache=writethrough,discard=on,iothread=1,replicate=${replicate}`;
  const attached = (backup: 0 | 1, replicate: 0 | 1) =>
    options(backup, replicate).replace('discard=on,', 'discard=on,format=raw,');
  const drive = (slot: string, file: string, form: typeof options, size: string, backup: 0 | 1) =>
    `${slot}: local-zfs:${file},${form(1, 1)},size=${size},ssd=1` +
    ` → local-zfs:${file},${form(backup, 0)},size=${size},ssd=1,wwn=<wwn>`;

  // Each of these stands in docs/coming-from.md, "Differences of the VMs".
  const dataVmDifferences = (vmid: number) => [
    'boot: order=scsi0;net0 → order=scsi0',
    'protection: 0 → 1',
    drive('scsi0', `vm-${vmid}-disk-0`, options, '20G', 0),
    drive('scsi1', `vm-${vmid}-disk-1`, options, '7G', 0),
    'tags: k8s → k8s;oxherd_data;oxherd_homelab',
  ];

  it('differ in the control plane by wwn, backup, replicate and our tag', () => {
    expect(differences(moduleVms['1001'], ours.get(1001) ?? new Map())).toEqual([
      drive('scsi0', 'vm-1001-disk-0', options, '5G', 0),
      drive('scsi1', 'vm-10010-disk-0', attached, '20G', 0),
      drive('scsi2', 'vm-10010-disk-1', attached, '7G', 1),
      'tags: control-plane;k8s → control-plane;k8s;oxherd_homelab',
    ]);
  });

  it('differ in the worker by wwn, backup of the System disk, replicate and our tag', () => {
    expect(differences(moduleVms['1021'], ours.get(1021) ?? new Map())).toEqual([
      drive('scsi0', 'vm-1021-disk-0', options, '5G', 0),
      drive('scsi1', 'vm-10210-disk-0', attached, '20G', 1),
      drive('scsi2', 'vm-10210-disk-1', attached, '7G', 1),
      'tags: k8s;worker → k8s;oxherd_homelab;worker',
    ]);
  });

  it.each([10010, 10210] as const)(
    'differ in the data VM %d by protection, boot order, wwn, backup and tag',
    (vmid) => {
      expect(differences(moduleVms[vmid], ours.get(vmid) ?? new Map())).toEqual(dataVmDifferences(vmid));
    },
  );

  it('keep the MAC that oxherd.yaml gives', () => {
    expect(ours.get(1001)?.get('net0')).toBe(moduleVms['1001'].net0);
  });

  it('are all there, and no other', () => {
    expect([...ours.keys()]).toEqual([1001, 1021, 10010, 10210]);
  });
});

describe("the template's reference VM", () => {
  const matching = loaded('../../examples/template/oxherd.yaml');
  const tag = design(matching).cluster.tag;

  it('is reproduced line by line', () => {
    const reference = textOf('../../test/fixtures/export/template-2001.conf');
    const ours = qmConfigs(design(matching)).find(({ vmid }) => vmid === 2001);
    const comparable = (text: string) =>
      text
        .split('\n')
        // Proxmox makes a uuid where none is given; ours stands for it and carries the serial that Talos reads.
        .filter((line) => !line.startsWith('smbios1: '))
        .map((line) =>
          line
            .replace(/^(ide2: local:iso\/)[^,]+(,media=cdrom)(,size=\d+K)?$/, '$1<iso>$2')
            .replace(/,wwn=0x3[0-9a-f]{15}$/, '')
            .replace(`;${tag}`, ''),
        );
    expect(comparable(ours?.text ?? '')).toEqual(comparable(reference));
  });

  it('has what we add to it: serial, wwn and tag', () => {
    const lines = exported(matching).get(2001);
    expect(lines?.get('smbios1')).toMatch(
      new RegExp(`^base64=1,serial=${btoa('h=talos-cplane-001;i=2001')},uuid=[0-9a-f-]{36}$`),
    );
    expect(lines?.get('scsi0')).toMatch(/,wwn=0x3[0-9a-f]{15}$/);
    expect(lines?.get('tags')).toBe(`kubernetes;linux;${tag};talos;template`);
  });
});

describe('volume names as on an empty Proxmox', () => {
  it('count per storage, in the alphabetical order of the slots', () => {
    const volumes = Array.from({ length: 11 }, (_, index) =>
      diskVolume(`v${String(index).padStart(2, '0')}`),
    );
    const other = diskVolume('w', { storage: 'tank' });
    const lines = exported(config({ volumes: [...volumes, other] }));
    const file = (vmid: number, slot: string) => lines.get(vmid)?.get(slot)?.split(',')[0];
    expect(['scsi0', 'scsi1', 'scsi10', 'scsi2', 'scsi12'].map((slot) => file(1510, slot))).toEqual([
      'local-zfs:vm-1510-disk-0',
      'local-zfs:vm-1510-disk-1',
      'local-zfs:vm-1510-disk-2',
      'local-zfs:vm-1510-disk-4',
      'tank:vm-1510-disk-0',
    ]);
    expect(file(151, 'scsi13')).toBe('tank:vm-1510-disk-0');
  });

  it('encodes the description as qm does', () => {
    const node = nodeConfig('work-1', 151, 'worker', { vm: vmOptions({ description: 'a: ä\nb' }) });
    expect(
      exported(config({ nodes: [node] }))
        .get(151)
        ?.get('description'),
    ).toBe('a%3A %C3%A4%0Ab');
  });

  it('has tpmstate0 where the TPM holds a key', () => {
    const base = config();
    const lines = exported({
      ...base,
      talos: { ...base.talos, encryption: { ephemeral: { kind: 'tpm', lockToState: false } } },
      nodes: [nodeConfig('one', 151, 'controlplane', { layout: 'single' })],
    });
    expect(lines.get(151)?.get('tpmstate0')).toBe('local-zfs:vm-151-disk-1,size=4M,version=v2.0');
  });
});
