import { expect, it } from 'vitest';
import { config, nodeConfig } from '../../../test/support/design/config.js';
import { builtProxmox } from '../../../test/support/plan/observed.js';
import { design } from '../../design/design-cluster.js';
import { known, type Observed, type ObservedStorage } from '../../observe/observed.js';
import { decideDrain } from './decide-drain.js';

const CONFIG = config({
  nodes: [
    nodeConfig('cp-1', 141, 'controlplane', { host: 'pve1' }),
    nodeConfig('work-1', 151, 'worker', { host: 'pve2' }),
    nodeConfig('work-2', 152, 'worker', { host: 'pve2' }),
  ],
});
const GIB = 1024 ** 3;
const built = builtProxmox(CONFIG);

function drain(observed: Observed): string[] {
  const request = { host: 'pve2', forSeconds: 100 * 3_600, stay: [], move: [] };
  const { decisions, problems } = decideDrain(design(CONFIG), observed, request);
  return [...decisions.map(({ node, to }) => `${node} → ${to}`), ...problems.map(({ message }) => message)];
}

/** The storage of each host otherwise; `undefined`: the host does not have it. */
function withStorages(
  change: (storage: ObservedStorage) => ObservedStorage | undefined,
  more: Partial<Observed> = {},
): Observed {
  const storages = Object.entries(built.storages).flatMap(([key, storage]) => {
    const changed = storage.name === 'local-zfs' ? change(storage) : storage;
    return changed ? [[key, changed] as const] : [];
  });
  return { ...built, storages: Object.fromEntries(storages), ...more };
}

it('nodes go where their disks have room, those before them counted', () => {
  expect(drain(built)).toEqual(['work-1 → pve1', 'work-2 → pve3']);
  // The disks of a node take 25 GiB.
  const sized = (pve1: number, pve3: number) =>
    withStorages((storage) => ({
      ...storage,
      total: (storage.host === 'pve1' ? pve1 : storage.host === 'pve3' ? pve3 : 4_096) * GIB,
      used: 0,
    }));
  expect(drain(sized(4_096, 10))).toEqual(['work-1 → pve1', 'work-2 → pve1']);
  expect(drain(sized(60, 10))).toEqual(['work-1 → pve1', 'work-2 → pve1']);
  expect(drain(sized(30, 10))).toEqual([
    'work-1 → pve1',
    'work-2 has nowhere to go: pve1: its disks need 25GiB on local-zfs, and 5GiB are free there; pve3: its disks need 25GiB on local-zfs, and 10GiB are free there',
  ]);
});

it('a storage that is missing or not active on a host keeps nodes from it, a shared one too', () => {
  const inactive = withStorages((storage) => ({ ...storage, active: storage.host !== 'pve3' }));
  expect(drain(inactive)).toEqual(['work-1 → pve1', 'work-2 → pve1']);
  const restricted = (shared: boolean) =>
    withStorages((storage) => (storage.host === 'pve3' ? undefined : { ...storage, shared }));
  expect(drain(restricted(false))).toEqual(['work-1 → pve1', 'work-2 → pve1']);
  expect(drain(restricted(true))).toEqual(['work-1 → pve1', 'work-2 → pve1']);
  const nowhere = withStorages((storage) =>
    storage.host === 'pve2' ? { ...storage, shared: true } : undefined,
  );
  expect(drain(nowhere)).toContain(
    'work-1 has nowhere to go: pve1: it has no storage local-zfs; pve3: it has no storage local-zfs',
  );
});

it('a host that HA has in maintenance takes no nodes', () => {
  const hosts = { pve1: 'online', pve2: 'online', pve3: 'maintenance' };
  const ha = known({ hosts, resources: {}, rules: known({}) });
  expect(drain({ ...built, ha })).toEqual(['work-1 → pve1', 'work-2 → pve1']);
});
