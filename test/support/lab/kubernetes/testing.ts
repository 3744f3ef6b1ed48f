import { DrivenClock, type LabClock, ScaledClock } from '../../../../src/lab/clock.js';
import { createFaults } from '../../../../src/lab/faults.js';
import type { NodeDescription } from '../../../../src/lab/kubernetes/feed.js';
import type { LabCore } from '../../../../src/lab/lab.js';
import { privateNetwork } from '../../../../src/lab/network.js';
import { storedRandom } from '../../../../src/lab/random.js';
import { memoryStore, type Store } from '../../../../src/lab/store.js';
import { createTimeline } from '../../../../src/lab/timeline.js';

/** A lab's core of its own for a test of this folder. */
export function testCore(
  clock: LabClock = new ScaledClock(Date.now(), 1),
  store: Store = memoryStore(),
): LabCore {
  return {
    store,
    clock,
    timeline: createTimeline(store, clock),
    network: privateNetwork(),
    faults: createFaults(store),
    random: storedRandom(store, 'test'),
  };
}

/** Time that passes only while somebody waits. */
export function drivenCore(store?: Store): LabCore & { clock: DrivenClock } {
  const clock = new DrivenClock(Date.parse('2026-01-01T00:00:00Z'));
  return { ...testCore(clock, store), clock };
}

export function testNode(name: string, number: number, more: Partial<NodeDescription> = {}): NodeDescription {
  return {
    name,
    ip: `10.20.30.${number}`,
    controlPlane: false,
    kubeletVersion: 'v1.36.0',
    osImage: 'Talos (v1.14.1)',
    kernel: '6.18.1-talos',
    systemUUID: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    bootID: `boot-${number}`,
    cores: 4,
    memory: 8 * 1024 ** 3,
    ...more,
  };
}
