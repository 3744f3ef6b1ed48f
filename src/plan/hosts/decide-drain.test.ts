import { expect, it } from 'vitest';
import { config, nodeConfig } from '../../../test/support/design/config.js';
import { builtProxmox } from '../../../test/support/plan/observed.js';
import { design } from '../../design/design-cluster.js';
import { withDrainNote } from '../../formats/marks/drain-note.js';
import { known, type Observed } from '../../observe/observed.js';
import { visibleVm, withVms } from '../../observe/observed-vms.js';
import { decideDrain } from './decide-drain.js';

const CONFIG = config({
  nodes: [
    nodeConfig('cp-1', 141, 'controlplane', { host: 'pve1' }),
    nodeConfig('work-1', 151, 'worker', { host: 'pve2' }),
  ],
});

/** Of work-1, off on pve2; its data VM says which host is drained. */
function way(drained: string | undefined, stay: readonly string[] = []): string | undefined {
  const built = builtProxmox(CONFIG);
  const [talos, data] = [visibleVm(built, 151), visibleVm(built, 1510)];
  if (!talos || !data?.config.known) throw new Error('there is no VM');
  const { values, ...rest } = data.config.value;
  const description = drained && withDrainNote(values.description ?? '', { host: drained });
  const noted = { ...rest, values: { ...values, ...(description && { description }) } };
  const observed: Observed = {
    ...built,
    vms: withVms(built.vms, [
      { ...talos, status: 'stopped' },
      { ...data, config: known(noted) },
    ]),
  };
  const request = { host: 'pve2', forSeconds: 100 * 3_600, stay, move: [] };
  return decideDrain(design(CONFIG), observed, request).decisions.find(({ node }) => node === 'work-1')?.way;
}

it('a node that is off stays, unless a drain that was cut off has shut it down', () => {
  expect(way(undefined)).toBe('stay');
  expect(way('pve3')).toBe('stay');
  expect(way('pve2')).toBe('move');
  expect(way('pve2', ['work-1'])).toBe('stay');
});
