/** What could go wrong when: every occasion at which the lab asks whether a fault strikes, by the step it falls into. */
import type { FaultName, Faults } from '../../../lab/faults.js';
import type { RunEvent } from '../../../model/events.js';

export interface StepPlace {
  readonly id: string;
  /** Empty where it could be any of several. */
  readonly node: string;
  /** 0 where it could be any of several. */
  readonly vmid: number;
  readonly host: string;
}

export interface Occasion {
  readonly fault: FaultName;
  readonly step: StepPlace;
  /** The occasion's own name, as a subject of the fault: `PUT /nodes/pve1/qemu/141/config`, `151`. */
  readonly subject: string;
  /** A state lasts from the step on until it is switched off; a blow falls once. */
  readonly kind: 'blow' | 'state';
}

export class OccasionRecorder {
  readonly #running = new Map<string, StepPlace>();
  readonly #found = new Map<string, Occasion>();

  constructor(
    private readonly placeOf: (node: string) => Pick<StepPlace, 'vmid' | 'host'>,
    /** The most disruptive step: what belongs to none is tried there. */
    private readonly foremost?: { readonly id: string; readonly node?: string },
  ) {}

  get occasions(): Occasion[] {
    return [...this.#found.values()];
  }

  listenTo(faults: Faults): void {
    const { strikes, holds } = faults;
    faults.strikes = (name, ...subjects) => {
      this.#asked(name, subjects, 'blow');
      return strikes(name, ...subjects);
    };
    faults.holds = (name, ...subjects) => {
      this.#asked(name, subjects, 'state');
      return holds(name, ...subjects);
    };
  }

  emit(event: RunEvent): void {
    if (event.type === 'step-started') {
      const node = event.node ?? '';
      const step = { id: event.step, node, ...this.placeOf(node) };
      this.#running.set(event.step, step);
      // Its host can fail whatever the step asks of Proxmox; without a name it would be all of them.
      if (step.host !== '') this.#note({ fault: 'host-down', step, subject: step.host, kind: 'state' });
    }
    if (event.type === 'step-done' || event.type === 'step-failed') this.#running.delete(event.step);
  }

  #asked(fault: FaultName, subjects: readonly string[], kind: Occasion['kind']): void {
    if (fault === 'host-down') return;
    const step = subjects.includes(LOCK_LOOK) ? this.#foremost() : this.#stepOf(subjects);
    if (!step) return;
    const subject = kind === 'state' ? subjectOfState(fault, step) : general(mostSpecific(subjects));
    // A look at a machine or at the API is repeated when it fails: the first one of a step stands for all.
    const isLook = LOOKS.test(subject) && LOOKED.has(fault);
    if (isLook && fault === 'call-drop-after') return;
    this.#note({ fault, step, subject, kind }, isLook ? 'look' : subject);
  }

  #note(occasion: Occasion, name: string = occasion.subject): void {
    const key = `${occasion.step.id} ${occasion.fault}=${name}`;
    if (!this.#found.has(key)) this.#found.set(key, occasion);
  }

  #foremost(): StepPlace | undefined {
    if (!this.foremost) return undefined;
    const { id, node = '' } = this.foremost;
    return { id, node, ...this.placeOf(node) };
  }

  /** Of steps that run at the same time, the first that the occasion names: for the others the run would be the same. */
  #stepOf(subjects: readonly string[]): StepPlace | undefined {
    const running = [...this.#running.values()];
    const [first, ...more] = running;
    if (!first || more.length === 0) return first;
    const names = new Set(subjects.flatMap((subject) => subject.split(/[ /:]/)));
    return (
      running.find((step) => names.has(String(step.vmid)) || names.has(step.node)) ??
      running.find((step) => names.has(step.host)) ?? { ...first, node: '', vmid: 0 }
    );
  }
}

/** Whoever holds the lock looks at it from time to time, by the wall: in another step each time. */
const LOCK_LOOK = 'GET /pools';
const LOOKED: ReadonlySet<FaultName> = new Set(['call-drop-before', 'call-drop-after', 'kube-error']);
const LOOKS =
  /^GET |\/cosi\.resource\.State\/|MachineService\/(Version|ServiceList|EtcdStatus|EtcdMemberList|EtcdAlarmList|Logs|Dmesg)$/;

/** `qmstart:141` says more than the host it runs on. */
function mostSpecific(subjects: readonly string[]): string {
  return subjects.find((subject) => /^\w+:\d+$/.test(subject)) ?? subjects[0] ?? '';
}

/** A task has another id in every run. */
function general(subject: string): string {
  return subject.replace(/UPID:[^/]*/, '*');
}

/** A state of one machine is that of the step's own; the others are states of the whole. */
function subjectOfState(fault: FaultName, step: StepPlace): string {
  const ofMachine = fault === 'etcd-slow' || fault === 'time-skew';
  return ofMachine && step.vmid > 0 ? String(step.vmid) : '';
}
