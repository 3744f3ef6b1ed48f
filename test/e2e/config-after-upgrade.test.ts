/** A config with documents that only the new Talos knows is sent once the machine runs it. */
import { expect, it, onTestFinished } from 'vitest';
import { CliFolder, ended } from '../support/cli.js';
import { herd } from '../support/herd.js';

const PATCH = 'apiVersion: v1alpha1\nkind: SysctlConfig\nparams: { vm.max_map_count: "262144" }\n';

it('goes out after the upgrade', async () => {
  const file = (talos: string, patch = '') =>
    `${herd({ talos, controlPlanes: 1, workers: 1, kubernetes: 'v1.35.2', volumes: {} }).replace(
      `  version: ${talos}`,
      `  version: ${talos}${patch}`,
    )}policy: { outage: allow }\n`;
  const made = CliFolder.make(file('v1.13.9'));
  onTestFinished(() => made.remove());
  ended(await made.lab('apply', '--yes'));
  made.write('sysctl.yaml', PATCH);
  made.config = file('v1.13.9', '\n  patches: { all: [sysctl.yaml] }');
  const early = await made.lab('plan');
  expect(early.stdout + early.stderr).toContain('knows no SysctlConfig');
  made.config = file('v1.14.1', '\n  patches: { all: [sysctl.yaml] }');
  const steps = ended(await made.lab('plan'));
  expect(steps.indexOf('upgrade Talos on work-1')).toBeLessThan(steps.indexOf('change the config of work-1'));
  ended(await made.lab('apply', '--yes'));
  expect(ended(await made.lab('plan', '--exit-code'))).toMatch(/No changes/);
});
