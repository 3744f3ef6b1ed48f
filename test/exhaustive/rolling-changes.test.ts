/** More kinds of changes that roll, and both generations of the upgrade call. */
import { afterEach, describe, expect, it } from 'vitest';
import { expectEachOnce, RunningHerd } from '../support/rolling.js';

let herd: RunningHerd;
afterEach(async () => {
  await herd.removeCopies();
  herd.remove();
});

describe('every node once, and no one notices', () => {
  it('for the upgrade call of Talos v1.12', async () => {
    herd = await RunningHerd.build({ talos: 'v1.12.6', kubernetes: 'v1.34.0' });
    const { report, site } = await herd.rolls({ talos: 'v1.13.9' });
    expectEachOnce(report);
    for (const machine of site.room.machines()) expect(machine.record.system?.version).toBe('v1.13.9');
  });

  it('for other extensions', async () => {
    herd = await RunningHerd.build();
    const { report, site } = await herd.rolls({
      schematic:
        '  schematic: { customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent, siderolabs/iscsi-tools] } } }',
    });
    expectEachOnce(report);
    for (const machine of site.room.machines())
      expect(machine.service('ext-iscsi-tools')?.state).toBe('Running');
  });

  it('for a machine config that takes effect at a reboot', async () => {
    herd = await RunningHerd.build();
    const { report, site } = await herd.rolls({
      schematic: '  patches: { all: [{ machine: { env: { LANG: C } } }] }',
    });
    expectEachOnce(report);
    for (const machine of site.room.machines()) expect(machine.config).toContain('LANG: C');
  });

  it('for more than one worker at a time, where the policy says so', async () => {
    herd = await RunningHerd.build();
    const { report } = await herd.rolls(
      { memory: '6GiB', more: 'policy: { maxUnavailable: 2 }' },
      { away: 2 },
    );
    expectEachOnce(report);
  });
});
