/** Steps inside the cluster that are cut off at any call: the next run sets everything right. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execute } from '../../src/apply/executors.js';
import type { StepContext } from '../../src/apply/support/context.js';
import { CLUSTER_ROLE_BINDINGS, SECRETS } from '../../src/clients/kubernetes/resources.js';
import { connectProxmox } from '../../src/clients/proxmox/client.js';
import { design as designCluster } from '../../src/design/design-cluster.js';
import { csiTokenIn } from '../../src/design/kubernetes/csi.js';
import { kubernetesDesign } from '../../src/design/kubernetes/kubernetes-design.js';
import type { Step } from '../../src/plan/steps.js';
import { CliFolder } from '../support/cli.js';
import { type ClusterAccess, withCluster } from '../support/cluster.js';
import { contextOf, cutting, untouched } from '../support/cutting.js';
import { configOf } from '../support/vm-site.js';

const API = '10.20.30.41';
const config = (cilium: string) => `
cluster: { name: solo, kubernetes: v1.36.0, scheduleOnControlPlanes: true }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
nodes:
  cp-1: { role: controlplane, host: pve1, ip: ${API}, vmid: 141, cores: 2, memory: 4GiB, disk: 6GiB }
volumes:
  pv-a: { type: proxmox-csi, size: 1GiB, host: pve1 }
kubernetes:
  cilium: ${cilium}
`;
const CHANGED = config('{ hubble: false }');

function wanted(text: string): Parameters<typeof contextOf>[1] {
  const whole = configOf(text);
  const kubernetes = kubernetesDesign(whole, designCluster(whole), { storages: {}, sizes: {} });
  return { cluster: whole.cluster, kubernetes };
}

describe('cut off', () => {
  let folder: CliFolder;

  beforeAll(async () => {
    folder = CliFolder.make(config('true'));
    expect(await folder.lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
  }, 180_000);
  afterAll(() => folder.remove());

  /** Runs the step cut off at every call, until it has fewer; each time the next run must end well. */
  async function everywhere(
    access: ClusterAccess,
    text: string,
    step: (context: StepContext) => Step,
    begin: () => Promise<unknown>,
    check: () => Promise<void>,
  ): Promise<number> {
    for (let at = 1; ; at += 1) {
      let cut = false;
      for (const when of ['before', 'after'] as const) {
        await begin();
        const first = contextOf(access, wanted(text), cutting(at, when));
        cut = await execute(step(first), first).then(
          () => false,
          () => true,
        );
        const next = contextOf(access, wanted(text), untouched);
        await execute(step(next), next);
        expect(await execute(step(next), next)).toMatchObject({ already: true });
        await check();
      }
      if (!cut) return at;
    }
  }

  it('the driver ends up with one token that works', async () => {
    await withCluster(folder, API, async (access) => {
      const { kubernetes, hand, lab } = access;
      const calls = await everywhere(
        access,
        config('true'),
        ({ kubernetes: cluster }) => ({
          kind: 'create-csi-token',
          id: 'create-csi-token:x',
          action: 'create',
          title: '',
          reasons: [],
          impact: 'none',
          needs: [],
          load: {},
          user: 'oxherd_solo.csi@pve',
          tokenId: 'csi',
          hash: cluster?.design.csi?.hash ?? '',
          rotate: false,
        }),
        () => kubernetes.delete(SECRETS, 'proxmox-csi-plugin', { namespace: 'csi-proxmox' }),
        async () => {
          expect(await hand.tokens('oxherd_solo.csi@pve')).toHaveLength(1);
          const secret = await kubernetes.get(SECRETS, 'proxmox-csi-plugin', 'csi-proxmox');
          const { tokenId, secret: text } = csiTokenIn(secret?.data ?? {});
          const driver = connectProxmox({
            endpoints: [lab.endpoint],
            token: `${tokenId}=${text}`,
            tls: { kind: 'fingerprint', sha256: lab.fingerprint },
            clock: lab.clock,
            random: () => 0.5,
          });
          expect(await driver.storageContent('pve1', 'local-zfs')).not.toEqual([]);
          await driver.close();
        },
      );
      expect(calls).toBeGreaterThan(8);
    });
  });

  it('Cilium ends up as oxherd.yaml says, and no one keeps its rights', async () => {
    await withCluster(folder, API, async (access) => {
      const { kubernetes } = access;
      const upgrade = ({ kubernetes: cluster }: StepContext): Step => ({
        kind: 'install-cilium',
        id: 'install-cilium:x',
        action: 'change',
        title: '',
        reasons: [],
        impact: 'live',
        needs: [],
        load: {},
        command: 'upgrade',
        version: 'v1.20.2',
        hash: cluster?.design.cilium?.hash ?? '',
      });
      const back = contextOf(access, wanted(config('true')), untouched);
      const calls = await everywhere(
        access,
        CHANGED,
        upgrade,
        () => execute(upgrade(back), back),
        async () => {
          const binding = await kubernetes.get(CLUSTER_ROLE_BINDINGS, 'cilium-install');
          expect(binding).toBeUndefined();
        },
      );
      expect(calls).toBeGreaterThan(8);
    });
  });
});
