import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { design } from '../../design/design-cluster.js';
import { config, csiVolume, gib } from '../../design/fixtures/config.js';
import type { PlanContext } from '../input.js';
import { StepList } from '../step-list.js';
import { planCsiVolumes } from './plan-csi-volumes.js';

const HOST = 'pve1';
const PLACE = `${HOST}/local-zfs`;

function planned(
  names: readonly string[],
  listed: readonly string[],
  type = 'zfspool',
  format: 'raw' | 'qcow2' = 'raw',
) {
  const volumes = names.map((name) =>
    csiVolume(name, { size: gib(1), host: HOST, storage: 'local-zfs', format }),
  );
  const context = {
    design: design(config({ volumes })),
    observed: {
      vms: {},
      storages: { [PLACE]: { host: HOST, name: 'local-zfs', type } },
      volumes: {
        [PLACE]: {
          known: true,
          value: Object.fromEntries(listed.map((volid) => [volid, { volid, size: gib(1) }])),
        },
      },
    },
    list: new StepList(),
    problems: [],
    notes: [],
  } as unknown as PlanContext;
  planCsiVolumes(context);
  return { codes: context.problems.map(({ code }) => code), steps: context.list.steps, context };
}

it('refuses qcow2 where a storage keeps blocks', () => {
  expect(planned(['a'], [], 'zfspool', 'qcow2').codes).toEqual(['csi-format']);
  expect(planned(['a'], [], 'nfs', 'qcow2').codes).toEqual([]);
});

describe('names that the driver would confuse', () => {
  /** The driver's own rule: a drive's line that contains the name of the disk. */
  const confused = (disks: readonly string[]) =>
    disks.some((one) =>
      disks.some((other) => one !== other && `local-zfs:${other},iothread=1`.includes(one)),
    );

  it('are refused, whoever made the other volume', () => {
    const [{ volumeName = '' } = {}] = design(config({ volumes: [csiVolume('pv', {})] })).csiVolumes;
    expect(planned(['pv'], [`local-zfs:${volumeName}-2`]).codes).toEqual(['csi-name']);
    expect(planned(['pv'], [`local-zfs:vm-9999-pvc-0b1c`]).codes).toEqual([]);
  });

  it('are in no set that is accepted', () => {
    const part = fc.constantFrom('pv', 'data', 'old', 'a', 'b', '1', '2', 'pv-data');
    const name = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('-'));
    const foreign = name.map((text) => `local-zfs:vm-9999-${text}`);
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { minLength: 1, maxLength: 6 }),
        fc.uniqueArray(foreign, { maxLength: 4 }),
        (names, listed) => {
          const { codes, context } = planned(names, listed);
          if (codes.length > 0) return;
          const disks = context.design.csiVolumes.map(({ volumeName }) => volumeName);
          expect(confused(disks)).toBe(false);
          for (const disk of disks) expect(listed.some((volid) => volid.includes(disk))).toBe(false);
        },
      ),
      { seed: 7, numRuns: 300 },
    );
  });
});
