import type { Pod } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import { partOf } from '../../../../test/support/part-of.js';
import { JOBS, PODS } from '../../../clients/kubernetes/resources.js';
import type { StepOf } from '../../../plan/steps.js';
import type { StepContext } from '../../support/context.js';
import { installCilium } from './install-cilium.js';

const HASH = 'abc';
const step = partOf<StepOf<'install-cilium'>>({ kind: 'install-cilium', version: 'v1.20.2', hash: HASH });

/** A cluster in which the Job of the installer runs for ever, with these pods. */
function endlessJob(pods: readonly Pod[], log = ''): StepContext {
  let now = 0;
  let job: object | undefined;
  const client = {
    get: async (resource: unknown) => (resource === JOBS ? job : undefined),
    list: async (resource: unknown) => (resource === PODS ? pods : []),
    apply: async ({ kind }: { kind: string }) => {
      if (kind === 'Job') job = { status: { active: 1 } };
    },
    delete: async () => {},
    logs: async (pod: string) => `${log} of ${pod}`,
  };
  const cilium = { version: 'v1.20.2', cliImage: 'cli', valuesText: '', gatewayApi: false, hash: HASH };
  return {
    kubernetes: { client, design: { cilium } },
    clock: {
      elapsed: () => now,
      sleep: async (ms: number) => {
        now += ms;
      },
    },
    progress: () => {},
    signal: new AbortController().signal,
  } as unknown as StepContext;
}

const pod = (name: string, minute: number, status: Pod['status']): Pod => ({
  metadata: { name, creationTimestamp: `2026-01-01T00:0${minute}:00Z` },
  ...(status && { status }),
});

describe('a Job of the Cilium installer that never finishes', () => {
  it('ends the step with the reason and the last log lines of its newest pod', async () => {
    const waiting = { reason: 'ImagePullBackOff', message: 'no such image' };
    const status = {
      phase: 'Pending',
      containerStatuses: [
        { name: 'cli', image: '', imageID: '', ready: false, restartCount: 0, state: { waiting } },
      ],
    };
    const context = endlessJob([pod('new', 5, status), pod('old', 1, { phase: 'Failed' })], 'lines');
    await expect(installCilium(step, context)).rejects.toThrow(
      /the Job runs; pod new is Pending, ImagePullBackOff: no such image, its last log lines: lines of new/,
    );
  });

  it('names what keeps its pod from being scheduled', async () => {
    const message = '0/3 nodes are available';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    await expect(
      installCilium(step, endlessJob([pod('one', 1, { phase: 'Pending', conditions })])),
    ).rejects.toThrow(/pod one is Pending, 0\/3 nodes are available/);
  });

  it('says so where it has no pod', async () => {
    await expect(installCilium(step, endlessJob([]))).rejects.toThrow(/the Job runs; it has no pod/);
  });
});
