import { IMAGE_EXAMPLE } from '../../../controller/install/pinned-image.js';
import type { CommandSpec } from '../../command-spec.js';

export const group: CommandSpec = {
  name: 'fleet',
  summary: 'many clusters on Kubernetes: install the controller, add clusters, approve plans',
  examples: [
    {
      command: `oxherd fleet install --clusters team-a --image ${IMAGE_EXAMPLE}`,
      does: 'kinds, roles and the controller',
    },
    { command: 'oxherd fleet list', does: 'all clusters, and what waits for you' },
    { command: 'oxherd fleet approve prod 3f9a1c2b', does: 'lets the controller apply that plan' },
  ],
};
