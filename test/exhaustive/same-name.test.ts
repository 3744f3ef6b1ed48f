/** Two clusters with one name on one Proxmox, each with its own secrets and VM ids: neither touches the other. */
import { renameSync } from 'node:fs';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { builtFolder } from '../support/built-folder.js';
import { type CliFolder, ended, type LabAccess, labFile } from '../support/cli.js';
import { smallFile } from '../support/small-file.js';

const SECOND = smallFile()
  .replaceAll('vmid: 1', 'vmid: 2')
  .replaceAll('10.20.30.', '10.20.31.')
  .replaceAll('cp-1', 'cp-2')
  .replaceAll('work-1', 'work-2');
const FIRST_VMS = ['141', '1410', '151', '1510'];

const description = ({ lab }: LabAccess, vmid: number | string) =>
  lab.proxmox.pve.db.vms.get(String(vmid))?.config.description ?? '';

/** What a person wipes in Proxmox. */
function withoutPrints({ lab }: LabAccess, vmids: readonly string[]): void {
  const { vms } = lab.proxmox.pve.db;
  for (const vmid of vmids) {
    const vm = vms.get(vmid);
    if (!vm) throw new Error(`there is no VM ${vmid}`);
    const text = (vm.config.description ?? '').replaceAll(/^secrets \S+\n?/gm, '');
    vms.put(vmid, { ...vm, config: { ...vm.config, description: text } });
  }
}

describe('a second cluster of the same name', () => {
  let built: CliFolder;
  beforeAll(async () => {
    built = await builtFolder(smallFile());
  });

  /** The folder with the file and the secrets of the second cluster. */
  async function second(byHand?: (access: LabAccess) => void): Promise<CliFolder> {
    const folder = built.copy();
    onTestFinished(() => folder.remove());
    if (byHand) await folder.withLab(async (access) => byHand(access));
    renameSync(labFile(folder.path, 'secrets.yaml'), labFile(folder.path, 'first.yaml'));
    folder.config = SECOND;
    ended(await folder.lab('secrets', 'init'));
    return folder;
  }
  const first = (folder: CliFolder) => {
    renameSync(labFile(folder.path, 'secrets.yaml'), labFile(folder.path, 'second.yaml'));
    renameSync(labFile(folder.path, 'first.yaml'), labFile(folder.path, 'secrets.yaml'));
    folder.config = smallFile();
  };
  /** Its machines accept its certificate, or its data VMs carry its fingerprint: all VMs get it, without a restart. */
  async function getsPrints(folder: CliFolder): Promise<void> {
    const before = await running(folder);
    first(folder);
    ended(await folder.lab('apply', '--yes'));
    expect(ended(await folder.lab('plan', '--exit-code'))).toMatch(/No changes/);
    expect(await running(folder)).toEqual(before);
    await folder.withLab(async (access) => {
      for (const vmid of FIRST_VMS) expect(description(access, vmid)).toMatch(/^secrets [0-9a-f]{32}$/m);
    });
  }
  const running = (folder: CliFolder) =>
    folder.withLab(async ({ lab }) =>
      [...lab.proxmox.pve.db.vms.entries()]
        .filter(([vmid]) => FIRST_VMS.includes(vmid))
        .map(([vmid, { running }]) => `${vmid} ${running?.since ?? 'off'}`)
        .sort(),
    );

  it('finds the fingerprint on every VM of the first', () =>
    built.withLab(async (access) => {
      const prints = FIRST_VMS.map((vmid) => /^secrets (\S+)$/m.exec(description(access, vmid))?.[1]);
      expect(prints[0]).toMatch(/^[0-9a-f]{32}$/);
      expect(new Set(prints).size).toBe(1);
    }));

  it.each([
    ['with all fingerprints', []],
    ['with those on Talos VMs only', ['1410', '1510']],
  ])('leaves the first alone, and gives no advice against it: %s', async (_, wiped) => {
    const folder = await second((access) => withoutPrints(access, wiped));
    for (const args of [['plan'], ['destroy', '--delete-data', '--confirm', 'small']]) {
      const { exit, stdout } = await folder.lab(...args);
      expect(exit).toBe(0);
      expect(stdout).not.toMatch(/qm destroy|qm set|(remove|destroy data) VM 1/);
      expect(stdout).toMatch(/VM 141 .* is left alone: .*secrets of another cluster/);
    }
  });

  it('runs beside a first one of an older version, whose fingerprints are on data VMs only', async () => {
    const folder = await second((access) => withoutPrints(access, ['141', '151']));
    const before = await running(folder);
    ended(await folder.lab('apply', '--yes'));
    expect(ended(await folder.lab('plan', '--exit-code'))).toMatch(/No changes/);
    ended(await folder.lab('destroy', '--delete-data', '--confirm', 'small'));
    expect(await running(folder)).toEqual(before);
    await getsPrints(folder);
  });

  it('is not created if it would share the CSI user of the first', async () => {
    const folder = await second();
    folder.config = `${SECOND}  pv: { type: proxmox-csi, size: 1GiB, host: pve1 }\n`;
    const { exit, stdout } = await folder.lab('apply', '--yes');
    expect(exit).toBe(1);
    expect(stdout).toMatch(/another cluster with the name small .* one CSI user/);
    expect(stdout).toContain('give this cluster another name or its own `env`');
  });

  it('removes nothing that no fingerprint names, if the machine does not accept its certificate', async () => {
    const folder = await second((access) => withoutPrints(access, FIRST_VMS));
    const before = await running(folder);
    await folder.lab('apply', '--yes');
    const planned = await folder.lab('plan');
    expect(planned.stdout).not.toMatch(/qm destroy|remove VM 1[45]1/);
    expect(planned.stdout).toMatch(/nothing proves that VM 141 .* belongs to this cluster/);
    for (const args of [[], ['--delete-data']]) {
      const destroyed = await folder.lab('destroy', ...args, '--confirm', 'small');
      expect(destroyed.exit).toBe(1);
    }
    expect(await running(folder)).toEqual(before);
    await getsPrints(folder);
  });
});
