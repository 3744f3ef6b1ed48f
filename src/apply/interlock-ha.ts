/** The rules of the interlock about HA: it starts what it is told to keep started, on any host, at any time. */
import type { ProxmoxReads } from '../clients/proxmox/reads-and-writes.js';
import { isHaRuleOf } from '../formats/marks/cluster-names.js';
import type { Guard, InterlockScope } from './interlock-guard.js';
import { refuse } from './interlock-reading.js';

/** States in which the manager never starts a VM. */
const AT_REST = ['stopped', 'disabled', 'ignored'];

export class HaGuard {
  constructor(
    private readonly client: ProxmoxReads,
    private readonly guard: Guard,
    private readonly scope: InterlockScope,
  ) {}

  /** `state` as it will be; Proxmox takes an absent one for `started`. */
  async resource(sid: string, state: string | undefined): Promise<void> {
    const { node, vmid } = await this.place(sid);
    const vm = await this.guard.checkOurs(node, vmid);
    if (vm.isData && !AT_REST.includes(state ?? 'started'))
      refuse(`telling HA to keep data VM ${vmid} started`, 'two machines would write the same disks');
  }

  /** What a change leaves out stays as it was. */
  async change(sid: string, state: string | undefined): Promise<void> {
    const now = (await this.client.haResources()).find((one) => one.sid === sid);
    await this.resource(sid, state ?? now?.settings.state);
  }

  /** A resource of a VM that is gone is no one's any more. */
  async remove(sid: string): Promise<void> {
    const vmid = Number(/^vm:(\d+)$/.exec(sid)?.[1]);
    const there = (await this.client.vms()).find((guest) => guest.vmid === vmid);
    if (there) await this.guard.checkOurs(there.node, vmid);
  }

  async place(sid: string): Promise<{ readonly node: string; readonly vmid: number }> {
    const vmid = Number(/^vm:(\d+)$/.exec(sid)?.[1]);
    const there = (await this.client.vms()).find((guest) => guest.vmid === vmid);
    if (!there) refuse(`changing the HA resource ${sid}`, 'there is no such VM');
    return { node: there.node, vmid };
  }

  /** A rule of this cluster has its name, and keeps VMs of this cluster alone. */
  async rule(rule: string, resources: string | undefined): Promise<void> {
    if (!isHaRuleOf(this.scope.cluster, rule))
      refuse(`changing the HA rule ${rule}`, 'its name does not name this cluster');
    for (const sid of resources?.split(',') ?? []) {
      const { node, vmid } = await this.place(sid);
      await this.guard.checkOurs(node, vmid);
    }
  }
}
