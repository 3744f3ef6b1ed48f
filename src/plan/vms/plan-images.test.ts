import { expect, it } from 'vitest';
import { config, nodeConfig } from '../../../test/support/design/config.js';
import { builtProxmox, emptyProxmox } from '../../../test/support/plan/observed.js';
import { design } from '../../design/design-cluster.js';
import { unknown } from '../../observe/observed.js';
import { visibleVm, withVms } from '../../observe/observed-vms.js';
import { planCluster } from '../plan-cluster.js';

it('downloads no image to a storage whose files could not be read, and refuses the plan', () => {
  const made = design(config());
  const observed = emptyProxmox();
  const [place = ''] = Object.keys(observed.images);
  const images = { ...observed.images, [place]: unknown<readonly string[]>('no answer in time') };
  const plan = planCluster(made, { ...observed, images });
  const [host, storage] = place.split('/');
  const downloads = (steps: typeof plan.steps) =>
    steps.flatMap((step) => (step.kind === 'download-image' && step.host === host ? [step.id] : []));
  expect(downloads(planCluster(made, observed).steps)).not.toEqual([]);
  expect(downloads(plan.steps)).toEqual([]);
  expect(plan.problems).toContainEqual(
    expect.objectContaining({
      code: 'image-unread',
      scope: 'plan',
      message: expect.stringMatching(`whether ${storage} on ${host} has .* could not be read: no answer`),
      advice: expect.stringContaining(`Datastore.Audit on /storage/${storage}`),
    }),
  );
});

it('downloads the image to the host where a node is, whatever host oxherd.yaml names', () => {
  const wanted = config({
    nodes: [
      nodeConfig('cp-1', 141, 'controlplane', { host: 'pve1' }),
      nodeConfig('work-1', 151, 'worker', { host: 'pve1' }),
    ],
  });
  const built = builtProxmox(wanted);
  const moved = [151, 1510].flatMap((vmid) => {
    const vm = visibleVm(built, vmid);
    return vm ? [{ ...vm, host: 'pve3' }] : [];
  });
  const observed = { ...built, vms: withVms(built.vms, moved) };
  const { steps } = planCluster(design(wanted), observed, { policy: wanted.policy, replace: ['work-1'] });
  const download = steps.find(({ kind }) => kind === 'download-image');
  expect(download).toMatchObject({ host: 'pve3' });
  expect(steps.find(({ kind }) => kind === 'replace-os-disk')).toMatchObject({
    host: 'pve3',
    needs: expect.arrayContaining([download?.id]),
  });
});
