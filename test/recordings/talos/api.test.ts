import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dial } from '../../../src/clients/talos/connection.js';
import { probe } from '../../../src/clients/talos/probe.js';
import { DrivenClock } from '../../../src/lab/clock.js';
import { createFaults } from '../../../src/lab/faults.js';
import { privateNetwork } from '../../../src/lab/network.js';
import { storedRandom } from '../../../src/lab/random.js';
import { memoryStore } from '../../../src/lab/store.js';
import { type RecordingsTalos, startRecordingsTalos } from '../../../src/lab/talos/index.js';
import { createTimeline } from '../../../src/lab/timeline.js';
import { bodyDifferences } from './compare-bodies.js';
import { call, fill, REAL, records } from './replay.js';

let talos: RecordingsTalos;
let clock: DrivenClock;
const network = privateNetwork();
const dial: Dial = (ip, port) => network.dial(ip, port);

beforeAll(async () => {
  const store = memoryStore();
  // Stands still while a call is made: what the recording met in the middle of a reboot is met there.
  clock = new DrivenClock(Date.UTC(2026, 0, 1));
  talos = await startRecordingsTalos({
    store,
    clock,
    timeline: createTimeline(store, clock),
    network,
    faults: createFaults(store),
    random: storedRandom(store, 'test'),
  });
});

afterAll(() => {
  talos.close();
  clock.stop();
});

const address = () => talos.ready.addresses.cp1;
const presence = () => probe(address(), { port: talos.ready.port, dial });

async function until(check: () => Promise<boolean> | boolean): Promise<void> {
  for (let i = 0; i < 200; i += 1) {
    if (await check()) return;
    await clock.sleep(1_000);
  }
  throw new Error('the machine does not get there');
}

/** Bodies that depend on what the recorded machine was: it had no volumes, and took another way to readiness. */
const OTHER_MACHINE = [
  'configured: COSI Watch empty kind, bootstrap_contents, api_version 1',
  'bootstrap: COSI Watch MachineStatus sees ready',
];

describe('answers of the real API', () => {
  // In the order of the recording: cp1 walks through its states.
  it.each(records)('$name', async (recorded) => {
    if (recorded.state === 'configured') {
      await until(
        async () =>
          (await presence()) === 'configured' && talos.room.machine(101)?.service('etcd') !== undefined,
      );
    }
    if (recorded.state === 'after-reset') await until(async () => (await presence()) === 'maintenance');
    if (recorded.name === 'configured: Bootstrap') {
      await until(() => talos.room.machine(101)?.service('cri')?.state === 'Running');
    }
    if (recorded.state === 'bootstrapped') {
      await until(() => talos.room.machine(101)?.record.controlPlane === 'running');
    }
    const answer = await call(talos.ready, recorded, dial);
    const hostnames = new Map(
      [101, 102, 103].map((vmid, index) => [
        ['cp1', 'cp2', 'worker'][index],
        talos.room.machine(vmid)?.hostname,
      ]),
    );
    const filled = (text: string) =>
      fill(
        talos.ready,
        text.replaceAll(/\{(\w+)\.hostname\}/g, (_, name: string) => hostnames.get(name) ?? ''),
      );
    if (!REAL.includes(recorded.source)) return;
    // This resource exists in the lab's machines, which are more than the recorded one.
    const more = /none in the recorded machine/.test(recorded.name);
    if (more && recorded.response.code === 'NOT_FOUND') return;
    expect(answer.code).toBe(recorded.response.code);
    if (recorded.tls?.alert) expect(answer.alert).toBe(recorded.tls.alert);
    if (!/go-yaml load error/.test(recorded.response.message)) {
      expect(answer.message).toBe(fill(talos.ready, recorded.response.message));
    }
    if (recorded.response.body !== undefined && !more && !OTHER_MACHINE.includes(recorded.name)) {
      // Without a config the real handler tells no features.
      const except = recorded.state === 'maintenance' ? [/\.features$/] : [];
      // The recorded answer comes from resources that were made for it, and those have no loop device.
      const isLoop = (item: unknown) => /"id":"loop0"/.test(JSON.stringify(item));
      const body = Array.isArray(answer.body) ? answer.body.filter((item) => !isLoop(item)) : answer.body;
      expect(bodyDifferences(recorded.response.body, body, { fill: filled, except })).toEqual([]);
    }
  });
});
