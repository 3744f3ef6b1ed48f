import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import { partVms } from '../../../test/support/plan/part-vms.js';
import type { NodeDesign } from '../../design/design.js';
import { withHostNote } from '../../formats/marks/host-note.js';
import type { Vmid } from '../../model/identity.js';
import { known, type Observed, type ObservedVm } from '../../observe/observed.js';
import { resolveHost } from './node-host.js';

const TALOS = 151 as Vmid;
const DATA = 1510 as Vmid;

interface Places {
  readonly file: string;
  readonly noted?: string;
  readonly talos?: string;
  readonly data?: string;
  readonly shared?: boolean;
}

function vm(vmid: Vmid, host: string, values: Record<string, string>): ObservedVm {
  return {
    vmid,
    host,
    name: 'work-1',
    status: vmid === TALOS ? 'running' : 'stopped',
    tags: [],
    template: false,
    config: known({ digest: '', values, pending: {} }),
  };
}

/** Only what decides about places. */
function placed({ file, noted, talos, data, shared = false }: Places) {
  const description = noted === undefined ? 'Data VM' : withHostNote('Data VM', noted);
  const disk = 'tank:vm-1510-disk-0,wwn=0x3000000000000001';
  const observed = partOf<Observed>({
    vms: partVms(
      ...(talos ? [vm(TALOS, talos, { scsi1: disk })] : []),
      ...(data ? [vm(DATA, data, { description, scsi0: disk })] : []),
    ),
    storages: Object.fromEntries(
      ['a', 'b', 'c'].map((host) => [`${host}/tank`, { host, name: 'tank', shared }]),
    ),
  });
  const node = partOf<NodeDesign>({
    name: 'work-1',
    host: file,
    talosVm: { vmid: TALOS },
    dataVm: { vmid: DATA },
  });
  return resolveHost(node, observed);
}

describe('where a node belongs', () => {
  it.each<[string, Places, object]>([
    ['a new one where the file says', { file: 'a' }, { host: 'a' }],
    ['one that is there stays', { file: 'a', noted: 'a', talos: 'a', data: 'a' }, { host: 'a' }],
    [
      'the file has changed: it moves',
      { file: 'b', noted: 'a', talos: 'a', data: 'a' },
      { host: 'b', move: { from: 'a', why: 'host a → b' } },
    ],
    [
      'somebody moved it: it is followed',
      { file: 'a', noted: 'a', talos: 'b', data: 'b' },
      { host: 'b', followed: true },
    ],
    ['nothing is noted: it is followed', { file: 'a', talos: 'b', data: 'b' }, { host: 'b', followed: true }],
    [
      'moved by hand, and the file wants a third host',
      { file: 'c', noted: 'a', talos: 'b', data: 'b' },
      { host: 'c', move: { from: 'b', why: 'host a → c' } },
    ],
    [
      'a move that was cut off goes on',
      { file: 'b', noted: 'a', talos: 'a', data: 'b' },
      { host: 'b', move: { from: 'a', why: 'host a → b' } },
    ],
    [
      'the data alone is left, and the file has changed',
      { file: 'b', noted: 'a', data: 'a' },
      { host: 'b', move: { from: 'a', why: 'host a → b' } },
    ],
    [
      'the data alone is left where somebody moved it',
      { file: 'b', data: 'a' },
      { host: 'a', followed: true },
    ],
  ])('%s', (_, places, expected) => {
    expect(placed(places)).toEqual(expected);
  });

  it('a data VM follows the machine that HA moved, where its disks are seen from there', () => {
    expect(placed({ file: 'a', noted: 'a', talos: 'b', data: 'a', shared: true })).toMatchObject({
      host: 'b',
      followed: true,
      move: { from: 'a' },
    });
  });

  it('a move that the file takes back halfway is undone', () => {
    expect(placed({ file: 'a', noted: 'a', talos: 'a', data: 'b' })).toMatchObject({
      host: 'a',
      move: { from: 'b' },
    });
  });

  it('two VMs that are apart always come together, and a node in its place never moves', () => {
    const host = fc.constantFrom('a', 'b', 'c');
    fc.assert(
      fc.property(
        host,
        fc.option(host, { nil: undefined }),
        host,
        host,
        fc.boolean(),
        (file, noted, talos, data, shared) => {
          const place = placed({ file, ...(noted && { noted }), talos, data, shared });
          if (talos !== data) expect(place.move).toBeDefined();
          if (talos === data && data === file) expect(place).toEqual({ host: file });
          // Nothing goes where neither oxherd.yaml wants it nor one of its VMs is.
          expect([file, talos, data]).toContain(place.host);
          expect(place.followed === true).toBe(place.host !== file);
        },
      ),
    );
  });
});
