/** A first boot that hangs before maintenance mode: the wait names the reset, and goes on once it was done. */
import { expect, it } from 'vitest';
import { runShell } from '../../src/lab/proxmox/root-shell.js';
import { ended } from '../support/cli.js';
import { ClusterSite } from '../support/cluster-site.js';
import { smallFile } from '../support/small-file.js';

it('names the reset while it waits, and continues after it', async () => {
  const site = await ClusterSite.open(smallFile());
  try {
    const { faults } = site.lab.core;
    faults.set({ name: 'machine-stuck', subject: '151', countdown: null });
    let reset: Promise<void> | undefined;
    let said = '';
    const see = (text: string) => {
      said += text;
      const [, command] = /(qm reset 151)/.exec(said) ?? [];
      if (command === undefined || reset) return;
      faults.clear('machine-stuck');
      reset = runShell(site.lab.proxmox, command);
    };
    site.onPrint = see;
    site.onTell = see;
    ended(await site.run('--json', 'apply', '--yes'));
    expect(said).toContain('downloading config');
    await reset;
    expect(ended(await site.run('plan', '--exit-code'))).toContain('No changes');
  } finally {
    await site.remove();
  }
});
