import { expect, it } from 'vitest';
import { config } from '../../../test/support/design/config.js';
import { emptyProxmox } from '../../../test/support/plan/observed.js';
import { design } from '../../design/design-cluster.js';
import { unknown } from '../../observe/observed.js';
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
