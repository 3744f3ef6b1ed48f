import { describe, expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import { smbiosUuidOf } from '../../formats/marks/identities.js';
import type { Vmid } from '../../model/identity.js';
import type { PlanContext } from '../input.js';
import { nodeKeyProblems } from './check-node-keys.js';

const POOR = '00000000-0000-0000-0000-000000000151';

function problems(uuid: string, ...documents: object[]) {
  const node = { name: 'work-1', talosVm: { vmid: 151, options: { smbios1: `uuid=${uuid}` } } };
  return nodeKeyProblems(
    partOf<PlanContext>({
      design: { nodes: [node] },
      machines: { configs: { 'work-1': { redacted: JSON.stringify(documents) } } },
    }),
  );
}

const volume = (kind: string, key: object) => ({
  kind,
  name: 'v',
  encryption: { provider: 'luks2', keys: [{ slot: 0, ...key }] },
});

describe('a disk key that comes from the uuid', () => {
  it.each([
    volume('VolumeConfig', { nodeID: {} }),
    volume('UserVolumeConfig', { nodeID: {} }),
    volume('SwapVolumeConfig', { nodeID: {} }),
    { machine: { systemDiskEncryption: { state: { provider: 'luks2', keys: [{ nodeID: {}, slot: 0 }] } } } },
  ])('is refused for a uuid that Talos refuses: %j', (document) => {
    expect(problems(POOR, document)).toMatchObject([{ code: 'node-key', node: 'work-1', scope: 'node' }]);
  });

  it('is accepted for a uuid that oxherd computes', () => {
    const uuid = smbiosUuidOf({ name: 'c', env: '' }, 151 as Vmid);
    expect(problems(uuid, volume('VolumeConfig', { nodeID: {} }))).toEqual([]);
  });

  it('is not needed for other keys', () => {
    expect(problems(POOR, volume('VolumeConfig', { static: { passphrase: '(redacted)' } }))).toEqual([]);
  });
});
