/** A small cluster that is built once; each test gets a copy, changed by hand. */
import { beforeAll, expect, onTestFinished } from 'vitest';
import { diskDrives } from '../../src/formats/proxmox/vm-config.js';
import { builtFolder } from './built-folder.js';
import { type CliFolder, ended, type LabAccess } from './cli.js';
import { disksOf, volumeProblems } from './disks.js';
import { type SmallFile, smallFile } from './small-file.js';

export const drivesOf = ({ lab }: Pick<LabAccess, 'lab'>, vmid: number) =>
  diskDrives(lab.proxmox.pve.db.vms.get(String(vmid))?.config ?? {});

export async function converges(made: CliFolder): Promise<void> {
  ended(await made.lab('apply', '--yes'));
  expect(ended(await made.lab('plan', '--exit-code'))).toMatch(/No changes/);
}

export function smallClusterForTests() {
  let built: CliFolder;
  let disks: Map<string, string>;

  beforeAll(async () => {
    built = await builtFolder(smallFile());
    await built.withLab(async ({ lab }) => {
      disks = disksOf(lab);
    });
  });

  return {
    /** Identity to volume, as they were when the cluster was built. */
    get disks(): ReadonlyMap<string, string> {
      return disks;
    },
    async folder(byHand?: (access: LabAccess) => Promise<unknown>, file?: SmallFile): Promise<CliFolder> {
      const made = built.copy();
      onTestFinished(() => made.remove());
      if (file) made.config = smallFile(file);
      if (byHand) await made.withLab(byHand);
      return made;
    },
    /** Identity of the disk that was on that slot when the cluster was built. */
    wwnAt: (vmid: number, slot: string): Promise<string> =>
      built.withLab(async (access) => {
        const wwn = drivesOf(access, vmid).find((drive) => drive.slot === slot)?.wwn ?? '';
        expect(wwn).toMatch(/^0x3/);
        return wwn;
      }),
    /** All disks are the volumes they were, but those named. */
    async nothingIsLost(made: CliFolder, except: readonly string[] = []): Promise<void> {
      await made.withLab(async ({ lab }) => {
        const now = disksOf(lab);
        const kept = [...disks.keys()].filter((wwn) => !except.includes(wwn));
        const pick = (all: Map<string, string>) => Object.fromEntries(kept.map((wwn) => [wwn, all.get(wwn)]));
        expect(pick(now)).toEqual(pick(disks));
        expect(volumeProblems(lab)).toEqual([]);
      });
    },
  };
}
