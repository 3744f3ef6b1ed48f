import type { Store } from './store.js';

/**
 * What can go wrong, by name. A fault is asked for (`--fault NAME[=SUBJECT][@N]`, `lab fault NAME on|off`), never random.
 * SUBJECT narrows it (a host, a VM id, a storage, a request such as `POST /nodes/*`,
 * a Talos call such as `/machine.MachineService/Reboot`); N counts the occasions it waits
 * before it strikes, and then it strikes once; without N it strikes until it is switched off.
 */
export const FAULTS = {
  'api-error': 'the API answers 500',
  'api-timeout': 'the request is never answered',
  'drop-before': 'the connection is cut before the request is handled',
  'drop-after': 'the request is handled, the connection cut before the answer',
  'lock-timeout': "a VM's config lock is not had in time",
  'task-fails': 'the task ends with an error and has done nothing',
  'task-warns': 'the task does its work and ends with a warning',
  'task-hangs': 'the task never ends',
  'host-down': 'a Proxmox host is gone, and with it what runs on it; requests for it answer 595',
  'no-quorum': 'the Proxmox cluster has lost its quorum',
  partition: 'a Proxmox host and the others cannot reach each other',
  'statd-down': "a Proxmox host's status daemon does not report",
  'expected-one': 'pvecm expected 1 was run: one vote is a quorum, though some pages still say otherwise',
  'user-race': 'a larger request of several at once is answered 500 user name not set',
  'ha-manager-down': 'no HA manager runs: what is asked of HA is kept and not acted on',
  'ha-maintenance': 'a Proxmox host is in maintenance: the HA manager moves its VMs to other hosts',
  'storage-full': 'nothing can be allocated on the storage',
  'storage-fills': 'the storage gets full in the middle of a copy or an import',
  'machine-stuck': 'the machine powers on and never reaches its Talos API',
  'machine-falls-back': 'the upgraded machine boots its old version again',
  'download-fails': 'the factory or a registry cannot be reached',
  'call-drop-before': 'the connection to a machine is cut before its Talos API handles the call',
  'call-drop-after': 'the Talos API handles the call, the connection is cut before the answer',
  'kube-error': 'an API server answers 500, as when etcd changes its leader',
  'drain-held': 'a disruption budget allows no eviction',
  'etcd-slow': 'an etcd member does not catch up',
  'disk-slow': "a control plane's disk is slow: its etcd member falls behind and raises the alarm NOSPACE",
  'vip-lost': 'no machine takes the shared address',
  'time-skew': 'the clock of a machine is not set',
  'clock-jump': 'the clock of a machine is an hour ahead',
  'clock-behind': 'the clock of a machine is behind, by ten minutes or by SUBJECT: `cp-1/90s`, `90s` for all',
  'gateway-moved':
    'the router of a network answers at SUBJECT as well: a machine may take it for its gateway',
} as const satisfies Record<string, string>;

export type FaultName = keyof typeof FAULTS;

export interface Fault {
  readonly name: FaultName;
  readonly subject: string;
  /** Occasions still to let pass; `null`: strikes each time. */
  readonly countdown: number | null;
}

export interface Faults {
  set(fault: Fault): void;
  clear(name: FaultName, subject?: string): void;
  list(): Fault[];
  /**
   * Whether the fault strikes on this occasion; `subjects` are all the names this occasion goes by.
   * Counts down and uses up a fault that strikes once.
   */
  strikes(name: FaultName, ...subjects: string[]): boolean;
  /** Whether the fault is on for the subject; counts nothing. For states such as `host-down`. */
  holds(name: FaultName, ...subjects: string[]): boolean;
  /** Called after a fault was switched on or off, not when it was used up. */
  onSwitch(listener: (name: FaultName) => void): void;
}

/** `undefined` where the text names no fault. */
export function parseFault(text: string): Fault | undefined {
  const match = /^([a-z-]+)(?:=([^@]*))?(?:@(\d+))?$/.exec(text);
  const name = match?.[1];
  if (!name || !(name in FAULTS)) return undefined;
  return {
    name: name as FaultName,
    subject: match[2] ?? '',
    countdown: match[3] === undefined ? null : Number(match[3]),
  };
}

export function createFaults(store: Store): Faults {
  const faults = store.table<Fault>('faults');
  const key = (name: string, subject: string) => `${name}=${subject}`;
  const listeners: ((name: FaultName) => void)[] = [];
  const switched = (name: FaultName) => {
    for (const listener of listeners) listener(name);
  };

  function find(name: FaultName, subjects: readonly string[]): Fault | undefined {
    for (const fault of faults.values()) {
      if (fault.name === name && (fault.subject === '' || subjects.some((s) => matches(fault.subject, s)))) {
        return fault;
      }
    }
    return undefined;
  }

  return {
    set(fault) {
      faults.put(key(fault.name, fault.subject), fault);
      switched(fault.name);
    },
    clear(name, subject) {
      for (const [id, fault] of [...faults.entries()]) {
        if (fault.name === name && (subject === undefined || fault.subject === subject)) faults.delete(id);
      }
      switched(name);
    },
    onSwitch: (listener) => void listeners.push(listener),
    list: () => [...faults.values()],
    strikes(name, ...subjects) {
      const fault = find(name, subjects);
      if (!fault) return false;
      if (fault.countdown === null) return true;
      if (fault.countdown > 0) {
        faults.put(key(fault.name, fault.subject), { ...fault, countdown: fault.countdown - 1 });
        return false;
      }
      faults.delete(key(fault.name, fault.subject));
      return true;
    },
    holds: (name, ...subjects) => find(name, subjects) !== undefined,
  };
}

function matches(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text;
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}
