import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { config, csiVolume, gib } from '../../../../test/support/design/config.js';
import { partOf } from '../../../../test/support/part-of.js';
import { partVms } from '../../../../test/support/plan/part-vms.js';
import type { Design } from '../../../design/design.js';
import { design } from '../../../design/design-cluster.js';
import { completeList } from '../../../observe/observed-lists.js';
import type { PlanContext } from '../../input.js';
import { planCsiVolumes } from './plan-csi-volumes.js';

const HOST = 'pve1';
const PLACE = `${HOST}/local-zfs`;

interface Around {
  readonly type?: string;
  readonly format?: 'raw' | 'qcow2';
  readonly shared?: boolean;
  /** Volumes of other places. */
  readonly more?: Readonly<Record<string, readonly string[]>>;
  /** Volumes that were made under these names. */
  readonly found?: Readonly<Record<string, string>>;
}

function planned(names: readonly string[], listed: readonly string[], around: Around = {}) {
  const { type = 'zfspool', format = 'raw', shared = false, more = {}, found = {} } = around;
  const places = { [PLACE]: listed, ...more };
  const volumes = names.map((name) =>
    csiVolume(name, { size: gib(1), host: HOST, storage: 'local-zfs', format }),
  );
  const context = partOf<PlanContext>({
    design: withNames(design(config({ volumes })), found),
    observed: {
      vms: partVms(),
      storages: Object.fromEntries(
        Object.keys(places).map((place) => {
          const [host = '', name = ''] = place.split('/');
          return [place, { host, name, type, shared }];
        }),
      ),
      volumes: Object.fromEntries(
        Object.entries(places).map(([place, volids]) => [
          place,
          completeList(Object.fromEntries(volids.map((volid) => [volid, { volid, size: gib(1) }]))),
        ]),
      ),
    },
    list: { steps: [] },
    problems: [],
    notes: [],
    resets: new Map(),
  });
  const { problems, steps } = planCsiVolumes(context);
  return { codes: problems.map(({ code }) => code), steps, context };
}

/** A volume that is there keeps the name it was made with: version 0.1.0 gave the bare one. */
function withNames(made: Design, found: Readonly<Record<string, string>>): Design {
  const csiVolumes = made.csiVolumes.map((volume) => ({
    ...volume,
    volumeName: found[volume.name] ?? volume.volumeName,
  }));
  return { ...made, csiVolumes };
}

it('refuses qcow2 where a storage keeps blocks', () => {
  expect(planned(['a'], [], { format: 'qcow2' }).codes).toEqual(['csi-format']);
  expect(planned(['a'], [], { type: 'nfs', format: 'qcow2' }).codes).toEqual([]);
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

  it('are refused on another storage of the same host, and of every host where the volume is shared', () => {
    const [{ volumeName = '' } = {}] = design(config({ volumes: [csiVolume('pv', {})] })).csiVolumes;
    const near = (shared: boolean, host: string) =>
      planned(['pv'], [], { shared, more: { [`${host}/other`]: [`other:${volumeName}-2`] } }).codes;
    expect(near(false, HOST)).toEqual(['csi-name']);
    expect(near(false, 'pve2')).toEqual([]);
    expect(near(true, 'pve2')).toEqual(['csi-name']);
  });

  it('are in no set that is accepted', () => {
    const part = fc.constantFrom('pv', 'data', 'old', 'a', 'b', '1', '2', 'pv-data');
    const name = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('-'));
    const bare = (text: string) => `vm-9999-${text}`;
    let [accepted, refused] = [0, 0];
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(name, fc.boolean()), {
          minLength: 1,
          maxLength: 6,
          selector: ([text]) => text,
        }),
        fc.uniqueArray(name, { maxLength: 4 }),
        (volumes, others) => {
          const names = volumes.map(([text]) => text);
          const old = volumes.filter(([, isOld]) => isOld).map(([text]) => text);
          // Some of ours were made by version 0.1.0, and others have such names as well.
          const found = Object.fromEntries(old.map((text) => [text, bare(text)]));
          const listed = [...new Set([...others, ...old])].map((text) => `local-zfs:${bare(text)}`);
          const { codes, context } = planned(names, listed, { found });
          const disks = context.design.csiVolumes.map(({ volumeName }) => volumeName);
          const all = [...new Set([...disks, ...listed.map((volid) => volid.slice('local-zfs:'.length))])];
          const ours = disks.some((disk) => all.some((other) => other !== disk && other.includes(disk)));
          if (codes.length > 0) refused += 1;
          else {
            accepted += 1;
            expect(confused(disks)).toBe(false);
            expect(ours).toBe(false);
          }
          // Nothing else is refused: names that are told apart are legal.
          expect(codes.every((code) => code === 'csi-name')).toBe(true);
          expect(codes.length > 0).toBe(ours);
        },
      ),
      { seed: 7, numRuns: 500 },
    );
    expect(Math.min(accepted, refused)).toBeGreaterThan(50);
  });
});
