/** CSI volumes in use on two nodes: the driver gives both disks one WWN, and pods with volumes are drained and return. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  VOLUME_ATTACHMENTS,
} from '../../src/clients/kubernetes/resources.js';
import { CliFolder, ended } from '../support/cli.js';
import { withCluster } from '../support/cluster.js';
import { CSI_CONFIG, CSI_VIP, csiWorkload } from '../support/csi-workload.js';

describe('CSI volumes in use', () => {
  let folder: CliFolder;

  beforeAll(async () => {
    folder = CliFolder.make(CSI_CONFIG);
    ended(await folder.lab('apply', '--yes'));
    await withCluster(folder, CSI_VIP, async ({ kubernetes, pass }) => {
      for (const [name, size] of [
        ['pv-data', '1Gi'],
        ['pv-data-old', '2Gi'],
      ] as const) {
        for (const object of csiWorkload(name, size)) await kubernetes.apply(object);
      }
      await pass(120);
    });
  });
  afterAll(() => folder.remove());

  const attached = () =>
    withCluster(folder, CSI_VIP, async ({ kubernetes, hand }) => {
      const attachments = await kubernetes.list(VOLUME_ATTACHMENTS);
      const pods = await kubernetes.list(PODS, { namespace: 'default' });
      const lines = await Promise.all(
        [151, 152].map(async (vmid) => {
          const { values } = await hand.vmConfig(vmid === 151 ? 'pve1' : 'pve2', vmid);
          return Object.entries(values).filter(([, line]) => line.includes('vm-9999-'));
        }),
      );
      return {
        nodes: attachments
          .map(({ spec }) => `${spec.source.persistentVolumeName} on ${spec.nodeName}`)
          .sort(),
        running: pods.map((pod) => pod.status?.phase),
        lines,
      };
    });

  it('are nothing to plan, although the driver gives two disks one WWN', async () => {
    const { nodes, running, lines } = await attached();
    expect(nodes).toEqual(['pv-data on work-1', 'pv-data-old on work-2']);
    expect(running).toEqual(['Running', 'Running']);
    const wwns = lines.flat().map(([, line]) => /wwn=(\w+)/.exec(line)?.[1]);
    expect(wwns).toHaveLength(2);
    expect(new Set(wwns).size).toBe(1);
    const plan = await folder.lab('plan', '--exit-code');
    expect(plan).toMatchObject({ exit: 0 });
    expect(await folder.lab('status')).toMatchObject({ exit: 0 });
  });

  it('follow their pods through a restart of both nodes', async () => {
    ended(await folder.lab('restart', 'work-1', 'work-2', '--yes'));
    await withCluster(folder, CSI_VIP, ({ pass }) => pass(180));
    const { nodes, running } = await attached();
    expect(nodes).toEqual(['pv-data on work-1', 'pv-data-old on work-2']);
    expect(running).toEqual(['Running', 'Running']);
    expect(await folder.lab('plan', '--exit-code')).toMatchObject({ exit: 0 });
  });

  it('may be grown by kubectl: that is a note, and nothing to undo', async () => {
    await withCluster(folder, CSI_VIP, async ({ kubernetes, pass }) => {
      const more = { spec: { resources: { requests: { storage: '3Gi' } } } };
      await kubernetes.patch(PERSISTENT_VOLUME_CLAIMS, 'pv-data', more, {
        kind: 'merge',
        namespace: 'default',
      });
      await pass(120);
    });
    const plan = await folder.lab('plan', '--exit-code');
    expect(plan.stdout).toContain('volume pv-data has grown to 3GiB; oxherd.yaml says 1GiB');
    expect(plan.exit).toBe(0);
  });
});
