/** What HA makes of a VM at this moment, where someone has to know it: in words, and with the command that ends it. */

/** Both by service, `vm:141`. */
interface HaFacts {
  readonly resources: Readonly<Record<string, { readonly state?: string }>>;
  /** As the manager says. */
  readonly services?: Readonly<Record<string, string>>;
}

export interface HaState {
  readonly vmid: number;
  /** `error`, `fence` and `recovery` of the manager; `disabled` and `ignored` as it was told. */
  readonly state: string;
  /** HA neither moves, starts nor stops it on request. */
  readonly blocks: boolean;
  readonly message: string;
  readonly advice: string;
}

interface HaVm {
  readonly vmid: number;
  /** A data VM never runs, whatever HA is told about it: its disks are those of a VM that does. */
  readonly isData: boolean;
}

/** `again`: what HA is to do with it afterwards. */
export function haErrorAdvice(vmid: number | 'VMID', again: string): string {
  return `see its tasks for the cause, then clear the error: ha-manager set vm:${vmid} --state disabled (shuts it down), and once it is stopped: ${again}`;
}

/** Where it is not known which VM it is. */
export const STATE_AS_BEFORE = 'the state that it had before (a data VM: stopped)';

/** `undefined`: HA does what it is asked to, or does not look after it. */
export function haStateIn({ resources, services }: HaFacts, { vmid, isData }: HaVm): HaState | undefined {
  const sid = `vm:${vmid}`;
  const settings = resources[sid];
  if (settings === undefined) return undefined;
  const service = services?.[sid];
  const wanted = settings.state ?? 'started';
  const set = (state: string) => `ha-manager set ${sid} --state ${state}`;
  const again = set(isData || wanted === 'stopped' ? 'stopped' : 'started');
  if (service === 'error')
    return {
      vmid,
      state: service,
      blocks: true,
      message: `HA has given up on VM ${vmid} (state error): it neither starts, stops nor moves it`,
      advice: haErrorAdvice(vmid, again),
    };
  if (service === 'fence' || service === 'recovery')
    return {
      vmid,
      state: service,
      blocks: true,
      message:
        service === 'fence'
          ? `HA waits until the host of VM ${vmid} is fenced (state fence), then recovers it`
          : `HA looks for a host that may run VM ${vmid} (state recovery)`,
      advice:
        service === 'fence'
          ? 'wait until it is recovered: ha-manager status'
          : 'its rules must allow a host that is online: ha-manager status; ha-manager rules list',
    };
  if (wanted === 'disabled' || wanted === 'ignored')
    return {
      vmid,
      state: wanted,
      blocks: false,
      message:
        wanted === 'disabled'
          ? `HA keeps VM ${vmid} off (state disabled) and does not recover it`
          : `HA ignores VM ${vmid} (state ignored): it is not recovered when its host fails`,
      advice: `to have it looked after again: ${again}`,
    };
  return undefined;
}
