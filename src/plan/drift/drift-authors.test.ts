import { describe, expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import type { NodeDesign } from '../../design/design.js';
import { configMark, markedConfig, unmarkedConfig } from '../../design/machine-config/config-mark.js';
import { machineConfigMeaning } from '../../design/machine-config/meaning.js';
import { appliedMarks, markOf, withAppliedNote } from '../../formats/marks/applied-note.js';
import { withHostNote } from '../../formats/marks/host-note.js';
import type { Vmid } from '../../model/identity.js';
import { known } from '../../observe/observed.js';
import { optionChanges } from '../facts/option-changes.js';
import { type VmView, vmView } from '../facts/view-of-vm.js';
import {
  type Author,
  authorOf,
  configAuthor,
  DISKS,
  dataVmAuthor,
  diskAuthor,
  diskMark,
  optionAuthors,
} from './drift-authors.js';

type Options = Record<string, string | number>;

const noted = ({ description = 'Talos Worker', ...options }: Options): Options => ({
  ...options,
  description: withAppliedNote(String(description), options),
});

function viewWith(values: Options): VmView {
  const view = vmView({
    vmid: 151 as Vmid,
    name: 'work-1',
    host: 'pve1',
    status: 'running',
    tags: [],
    template: false,
    config: known({
      digest: '',
      values: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)])),
      pending: {},
    }),
  });
  if (!view) throw new Error('no view');
  return view;
}

/** Who changed what, where `applied` was written, `now` is there and oxherd.yaml says `wanted`. */
function authors(applied: Options, now: Options, wanted: Options): Record<string, Author> {
  const view = viewWith({ ...noted(applied), ...now });
  const asked = noted(wanted);
  const { changes } = optionChanges(view, asked);
  const found = optionAuthors(view, asked, appliedMarks(view.effective.description));
  return Object.fromEntries(Object.entries(changes).map(([key, change]) => [key, found.of(key, change)]));
}

describe('who changed an option', () => {
  const was = { cores: 2, memory: 4096, tags: 'a;b' };

  it('someone in Proxmox, where oxherd.yaml asks for what was applied', () => {
    expect(authors(was, { cores: 7, tags: 'a;mine' }, was)).toEqual({ cores: 'hand', tags: 'hand' });
  });

  it('the file, where Proxmox has what was applied, in whatever words', () => {
    const found = authors({ ...was, agent: '1' }, { agent: 'enabled=1' }, { ...was, agent: '0', cores: 3 });
    expect(found).toEqual({ agent: undefined, cores: undefined, description: undefined });
  });

  it('each option for itself', () => {
    const found = authors(was, { memory: 8192 }, { ...was, cores: 3 });
    expect(found).toEqual({ cores: undefined, memory: 'hand', description: undefined });
  });

  it('the file, where its value is written and waits for a restart', () => {
    expect(authorOf(markOf('net0', 'a'), markOf('net0', 'a'), markOf('net0', 'a'))).toBeUndefined();
  });

  it('both', () => {
    expect(authors(was, { memory: 8192 }, { ...was, memory: 6144 })).toMatchObject({ memory: 'both' });
  });

  it('someone, who set what oxherd.yaml never asked for', () => {
    expect(authors(was, { protection: 1 }, was)).toEqual({ protection: 'hand' });
  });

  it('someone, who wrote another description; of the rest nothing is known then', () => {
    expect(authors(was, { description: 'mine now', cores: 7 }, was)).toEqual({
      cores: 'unknown',
      description: 'hand',
    });
    const { description } = noted(was);
    expect(authors(was, { description: `mine\n${description}` }, was)).toEqual({ description: 'hand' });
    expect(authors(was, {}, { ...was, description: 'new' })).toEqual({ description: undefined });
  });

  it('no one, where oxherd.yaml follows what someone did: the note is written alone', () => {
    expect(authors(was, { cores: 7 }, { ...was, cores: 7 })).toEqual({ description: undefined });
  });
});

describe('who changed what stands beside the options', () => {
  const drive = (options: Record<string, string>, name: string) => ({
    name,
    ownerOptions: options,
    talosOptions: options,
  });
  const node = (name: string, ...drives: ReturnType<typeof drive>[]) =>
    partOf<NodeDesign>({ name, talosVm: { name }, drives });
  const before = node('work-1', drive({ ssd: '1' }, 'os'));
  const talos = viewWith({
    description: withAppliedNote('Talos Worker', { name: 'work-1' }, { [DISKS]: diskMark(before) }),
  });
  const bare = viewWith({ description: 'mine' });

  it('options of disks: someone, unless oxherd.yaml asks for others than before', () => {
    expect(diskAuthor(before, talos)).toBe('hand');
    expect(diskAuthor(node('work-1', drive({ ssd: '0' }, 'os')), talos)).toBeUndefined();
    expect(diskAuthor(before, bare)).toBe('unknown');
  });

  it('a further disk with the same options is no other wish', () => {
    expect(diskMark(node('work-1', drive({ ssd: '1' }, 'os'), drive({ ssd: '1' }, 'data')))).toBe(
      diskMark(before),
    );
  });

  it('options of a data VM: someone, for oxherd.yaml says nothing of them', () => {
    expect(dataVmAuthor('protection', { from: '0', to: '1' }, before, talos)).toBe('hand');
  });

  it('its name and text: someone, unless the node has another name in oxherd.yaml', () => {
    const change = { from: 'x-data', to: 'work-1-data' };
    for (const key of ['name', 'description']) {
      expect(dataVmAuthor(key, change, before, talos)).toBe('hand');
      expect(dataVmAuthor(key, change, node('anvil'), talos)).toBeUndefined();
      expect(dataVmAuthor(key, change, before, bare)).toBe('unknown');
    }
  });

  it('its notes of host and volumes: the file', () => {
    const from = withHostNote('Data VM', 'pve1');
    const to = `${withHostNote('Data VM', 'pve2')}\n\nvolume 0x3000000000000001 data`;
    expect(dataVmAuthor('description', { from, to }, before, talos)).toBeUndefined();
  });
});

describe('who changed a config', () => {
  const text = (ntp: string) => `version: v1alpha1\nmachine:\n  time:\n    servers: [${ntp}]\n`;
  const hashOf = (config: string) => machineConfigMeaning(config).hash;
  const seen = (config: string) => {
    const { text: plain, mark } = unmarkedConfig(config);
    return { hash: hashOf(plain), ...(mark !== undefined && { mark }) };
  };
  const given = markedConfig(text('a'));

  it('means what it meant without its mark', () => {
    expect(hashOf(given)).toBe(hashOf(text('a')));
    expect(unmarkedConfig(given)).toEqual({ text: text('a'), mark: configMark(hashOf(text('a'))) });
  });

  it('the file, where the machine has what it was given', () => {
    expect(configAuthor(seen(given), { hash: hashOf(text('b')) })).toBeUndefined();
  });

  it('someone, where it has something else and oxherd.yaml asks for what it was given', () => {
    expect(configAuthor(seen(given.replace('[a]', '[x]')), { hash: hashOf(text('a')) })).toBe('hand');
  });

  it('both', () => {
    expect(configAuthor(seen(given.replace('[a]', '[x]')), { hash: hashOf(text('b')) })).toBe('both');
  });

  it('someone, where a patch has written it again', () => {
    expect(configAuthor(seen(text('x')), { hash: hashOf(text('a')) })).toBe('hand');
  });
});

it('three values tell who changed one of them', () => {
  expect(authorOf(undefined, 'a', 'b')).toBe('unknown');
  expect(authorOf('b', 'a', 'b')).toBe('hand');
  expect(authorOf('a', 'a', 'b')).toBeUndefined();
  expect(authorOf('c', 'a', 'b')).toBe('both');
});
