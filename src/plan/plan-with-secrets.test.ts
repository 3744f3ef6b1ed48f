import { describe, expect, it } from 'vitest';
import { config, diskVolume, nodeConfig } from '../../test/support/design/config.js';
import { builtProxmox, emptyProxmox } from '../../test/support/plan/observed.js';
import type { Config } from '../config/config.js';
import { design } from '../design/design-cluster.js';
import { SECRETS_TO_COME } from '../formats/marks/secrets-note.js';
import type { Observed } from '../observe/observed.js';
import { planCluster } from './plan-cluster.js';
import { designWithSecrets, planWithSecrets } from './plan-with-secrets.js';

const FINGERPRINT = 'ab'.repeat(32);
const WANTED = config({ volumes: [diskVolume('media')] });

/** What was shown before there were secrets, filled in; and what would be planned with them. */
function bothWays(wanted: Config, observed: Observed, fresh: readonly string[] = []) {
  const shown = planCluster(design(wanted, { secrets: SECRETS_TO_COME }), observed, { fresh });
  return {
    shown,
    filled: planWithSecrets(shown, FINGERPRINT),
    planned: planCluster(design(wanted, { secrets: FINGERPRINT }), observed, { fresh }),
  };
}

describe('a plan from before the secrets', () => {
  it('is with them what would have been planned with them', () => {
    const { shown, filled, planned } = bothWays(WANTED, emptyProxmox());
    expect(JSON.stringify(shown)).toContain(SECRETS_TO_COME);
    expect(filled.steps).toEqual(planned.steps);
  });

  it('notes them on VMs that exist without a note, and on disks that are created for them', () => {
    const nodes = WANTED.nodes.map(({ name }) => name);
    const { filled, planned } = bothWays(WANTED, builtProxmox(WANTED), nodes);
    expect(new Set(filled.steps.map(({ kind }) => kind))).toContain('renew-drive');
    expect(filled.steps).toEqual(planned.steps);
    expect(JSON.stringify(filled)).not.toContain(SECRETS_TO_COME);
  });

  it('notes them on the only VM of a node with the layout single', () => {
    const single = config({ nodes: [nodeConfig('cp-1', 141, 'controlplane', { layout: 'single' })] });
    const { filled, planned } = bothWays(single, emptyProxmox());
    expect(JSON.stringify(filled)).toContain(FINGERPRINT);
    expect(filled.steps).toEqual(planned.steps);
  });

  it('has the design of a cluster with these secrets', () => {
    const before = design(WANTED, { secrets: SECRETS_TO_COME });
    expect(before.cluster.secrets).toBeUndefined();
    expect(designWithSecrets(before, FINGERPRINT)).toEqual(design(WANTED, { secrets: FINGERPRINT }));
  });
});
