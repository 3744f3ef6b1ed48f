import { describe, expect, it } from 'vitest';
import { OccasionRecorder } from './occasions.js';

describe('a host that fails', () => {
  const recorder = new OccasionRecorder((node) =>
    node === 'cp-1' ? { vmid: 141, host: 'pve1' } : { vmid: 0, host: '' },
  );
  const started = (step: string, node?: string) =>
    recorder.emit({ type: 'step-started', at: 0, step, title: step, ...(node !== undefined && { node }) });

  it('is the host of the step; without one no host fails, not all of them', () => {
    started('stop-vm:141', 'cp-1');
    started('take-snapshot:etcd');
    expect(recorder.occasions.map(({ step, fault, subject }) => [step.id, fault, subject])).toEqual([
      ['stop-vm:141', 'host-down', 'pve1'],
    ]);
  });
});
