import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseVmid, type Vmid } from '../../model/identity.js';
import { clusterTag, legacyTag } from './cluster-names.js';
import { DATA_TAG } from './data-tag.js';
import { type ClusterIdentity, smbiosUuidOf, wwnOf } from './identities.js';
import { type ClusterOwner, ownershipOf } from './ownership.js';
import { secretsNote } from './secrets-note.js';

const home: ClusterIdentity = { name: 'home', env: 'dev' };
const other: ClusterIdentity = { name: 'home-dev', env: '' };
const id = (vmid: number) => parseVmid(vmid) as Vmid;

function vm(
  cluster: ClusterIdentity,
  vmid: number,
  more: { tags?: string; secrets?: string; as?: number } = {},
): Record<string, string> {
  return {
    tags: more.tags ?? clusterTag(cluster),
    smbios1: `uuid=${smbiosUuidOf(cluster, id(more.as ?? vmid))}`,
    scsi0: `tank:vm-${vmid}-disk-0,size=5G,wwn=${wwnOf(cluster, id(more.as ?? vmid), 'os')}`,
    ...(more.secrets !== undefined && { description: `a node\n${secretsNote(more.secrets)}` }),
  };
}

const because = (owner: ClusterOwner, vmid: number, values: Record<string, string>) => {
  const ownership = ownershipOf(owner, id(vmid), values);
  return ownership.ours ? (ownership.legacyTag ? 'ours, old tag' : 'ours') : ownership.because;
};

describe('a VM is ours', () => {
  it.each([
    ['with tag and identity', home, vm(home, 151), 'ours'],
    [
      'with the tag of version 0.1.0 and the identity',
      home,
      vm(home, 151, { tags: 'oxherd-home-dev' }),
      'ours, old tag',
    ],
    [
      'not with the same old tag of another cluster',
      home,
      vm(other, 151, { tags: 'oxherd-home-dev' }),
      'identity',
    ],
    ['not where the tag was written by hand', home, { tags: 'oxherd_home_dev' }, 'identity'],
    ['not as a clone with another id', home, vm(home, 151, { as: 152 }), 'identity'],
    ['not without the tag', home, vm(home, 151, { tags: 'k8s' }), 'tag'],
    ['with a changed uuid and its disk', home, { ...vm(home, 151), smbios1: 'uuid=0' }, 'ours'],
    ['with its uuid and no disk yet', home, { ...vm(home, 151), scsi0: 'none' }, 'ours'],
    ['whose secrets are ours', { ...home, secrets: 'aa' }, vm(home, 151, { secrets: 'aa' }), 'ours'],
    [
      'not where the secrets are others',
      { ...home, secrets: 'aa' },
      vm(home, 151, { secrets: 'bb' }),
      'secrets',
    ],
    [
      'that begins again with other secrets',
      { ...home, secrets: 'aa', formerSecrets: ['bb'] },
      vm(home, 151, { secrets: 'bb' }),
      'ours',
    ],
    [
      'not by its secrets alone',
      { ...home, secrets: 'aa' },
      { tags: clusterTag(home), description: 'secrets aa' },
      'identity',
    ],
  ] as const)('%s', (_, owner, values, expected) => {
    expect(because(owner, 151, values)).toBe(expected);
  });

  it('as a data VM by the disks of its node', () => {
    const wwn = wwnOf(home, id(151), 'photos');
    const values = {
      tags: `${clusterTag(home)};${DATA_TAG}`,
      scsi4: `tank:vm-1510-disk-4,size=5G,wwn=${wwn}`,
      description: `Data VM\n\nvolume ${wwn} photos`,
    };
    expect(because(home, 1510, values)).toBe('ours');
    expect(because(home, 1520, values)).toBe('identity');
    expect(because(other, 1510, { ...values, tags: `${clusterTag(other)};${DATA_TAG}` })).toBe('identity');
  });

  it('of one cluster at most, whatever its tags', () => {
    const label = fc
      .array(fc.constantFrom('home', 'dev', 'a'), { minLength: 1, maxLength: 3 })
      .map((words) => words.join('-'));
    const cluster = fc.record({ name: label, env: fc.oneof(fc.constant(''), label) });
    fc.assert(
      fc.property(cluster, cluster, fc.integer({ min: 100, max: 999 }), (one, two, vmid) => {
        fc.pre(one.name !== two.name || one.env !== two.env);
        const tags = [one, two].flatMap((each) => [clusterTag(each), legacyTag(each)]).join(';');
        expect(because(one, vmid, vm(one, vmid, { tags }))).toBe('ours');
        expect(because(two, vmid, vm(one, vmid, { tags }))).toBe('identity');
      }),
    );
  });
});
