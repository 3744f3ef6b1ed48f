/** A saved plan is a contract: what was shown is what runs, or nothing does. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GIB } from '../../src/model/size.js';
import { type CliFolder, ended } from '../support/cli.js';
import { smallClusterForTests } from '../support/small-cluster.js';
import { smallFile } from '../support/small-file.js';

const HOST = 'pve2';
const TALOS = 151;

const { folder, nothingIsLost } = smallClusterForTests();

interface SavedFile {
  planId: string;
  steps: { id: string; kind: string; impact: string }[];
}

const read = (made: CliFolder): SavedFile =>
  JSON.parse(readFileSync(join(made.path, 'plan.json'), 'utf8')) as SavedFile;

const sysctl = (value: string) =>
  smallFile({ more: '' }).replace(
    'talos: { version: v1.14.1 }',
    `talos: { version: v1.14.1, patches: { all: [{ machine: { sysctls: { vm.swappiness: "${value}" } } }] } }`,
  );

describe('a saved plan', () => {
  it('is applied while its id holds, and refused with the steps that differ', async () => {
    const made = await folder(undefined, { worker: ', description: "one"' });
    const shown = ended(await made.lab('plan', '--out', 'plan.json'));
    expect(shown).toContain(`Plan ${read(made).planId.slice(0, 12)}.`);
    await made.withLab(({ hand }) => hand.updateVm(HOST, TALOS, { set: { onboot: 0 } }));
    const stale = await made.lab('apply', 'plan.json', '--yes');
    expect(stale).toMatchObject({ exit: 1 });
    expect(stale.stderr).toContain('plan.json is stale');
    expect(stale.stderr).toMatch(/~ set-options:151: changes differs/);
    await made.withLab(({ hand }) => hand.updateVm(HOST, TALOS, { set: { onboot: 1 } }));
    expect(ended(await made.lab('apply', 'plan.json', '--yes'))).toMatch(/✓ work-1 .*set description/);
    ended(await made.lab('plan', '--exit-code'));
    await nothingIsLost(made);
  });

  it('keeps its id when the CSI driver attaches a volume and a VM of others moves', async () => {
    const made = await folder(undefined, { worker: ', description: "one", cores: 3' });
    await made.withLab(({ hand }) =>
      hand.runTask(() => hand.createVm('pve1', 800 as never, { name: 'other', memory: 512 })),
    );
    ended(await made.lab('plan', '--out', 'plan.json'));
    const { planId } = read(made);
    await made.withLab(async ({ hand }) => {
      await hand.allocVolume(HOST, 'local-zfs', { vmid: 9999, filename: 'vm-9999-pvc-1', size: GIB });
      await hand.updateVm(HOST, TALOS, {
        set: { scsi3: 'local-zfs:vm-9999-pvc-1,wwn=0x5056432d49443031' },
      });
      await hand.runTask(() => hand.migrateVm('pve1', 800 as never, { target: 'pve3' }));
    });
    ended(await made.lab('plan', '--out', 'plan.json'));
    expect(read(made).planId).toBe(planId);
    ended(await made.lab('apply', 'plan.json', '--yes'));
    ended(await made.lab('plan', '--exit-code'));
  });

  it('sends the config that was shown, and none that came after', async () => {
    const made = await folder();
    made.config = sysctl('10');
    ended(await made.lab('plan', '--out', 'plan.json'));
    made.config = sysctl('20');
    const stale = await made.lab('apply', 'plan.json', '--yes');
    expect(stale).toMatchObject({ exit: 1 });
    expect(stale.stderr).toMatch(/~ change-config:work-1: configHash [0-9a-f]+ → [0-9a-f]+/);
    made.config = sysctl('10');
    ended(await made.lab('apply', 'plan.json', '--yes'));
    ended(await made.lab('plan', '--exit-code'));
  });

  it('that is none, of another version, or of steps no one knows is said so', async () => {
    const made = await folder(undefined, { worker: ', description: "one"' });
    ended(await made.lab('plan', '--out', 'plan.json'));
    const saved = read(made);
    const refusal = async (value: unknown): Promise<string> => {
      writeFileSync(join(made.path, 'other.json'), typeof value === 'string' ? value : JSON.stringify(value));
      const result = await made.lab('apply', 'other.json', '--yes');
      expect(result.exit).toBe(1);
      return result.stderr;
    };
    expect(await refusal('no JSON')).toContain('other.json is not a plan file');
    expect(await refusal({ format: 1 })).toContain('plan format 1, not 2');
    const [first] = saved.steps;
    expect(await refusal({ ...saved, steps: [{ ...first, kind: 'launch-rocket' }] })).toContain(
      'steps.0.kind: unknown step kind launch-rocket',
    );
    expect(await refusal({ ...saved, steps: [{ ...first, impact: 'sudden' }] })).toContain(
      'unknown impact sudden',
    );
    // What a file says its steps are is not what runs.
    const forged = { ...saved, steps: [{ ...first, vmid: 141, host: 'pve1' }] };
    writeFileSync(join(made.path, 'plan.json'), JSON.stringify(forged));
    expect(ended(await made.lab('apply', 'plan.json', '--yes'))).toMatch(/✓ work-1 .*set description/);
  });
});
