/** What could go wrong when: every occasion at which the lab asks whether a fault strikes, by the step it falls into. */
import type { FaultName, Faults } from '../../src/lab/faults.js';
import type { RunEvent } from '../../src/model/events.js';

export interface StepPlace {
  readonly id: string;
  /** Empty where it could be any of several. */
  readonly node: string;
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

  constructor(private readonly placeOf: (node: string) => Pick<StepPlace, 'vmid' | 'host'>) {}

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
      this.#running.set(event.step, { id: event.step, node, ...this.placeOf(node) });
    }
    if (event.type === 'step-done' || event.type === 'step-failed') this.#running.delete(event.step);
  }

  #asked(fault: FaultName, subjects: readonly string[], kind: Occasion['kind']): void {
    for (const step of this.#stepsOf(subjects)) {
      const subject = kind === 'state' ? subjectOfState(fault, step) : general(mostSpecific(subjects));
      // A look at a machine or at the API is repeated when it fails: the first one of a step stands for all.
      const isLook = LOOKS.test(subject) && LOOKED.has(fault);
      const key = `${step.id} ${fault}=${isLook ? 'look' : subject}`;
      if (!this.#found.has(key)) this.#found.set(key, { fault, step, subject, kind });
    }
  }

  /** Of steps that run at the same time, the one that the occasion names; whatever names nothing concerns them all. */
  #stepsOf(subjects: readonly string[]): StepPlace[] {
    const running = [...this.#running.values()];
    if (running.length < 2 || subjects.length === 0) return running;
    const names = new Set(subjects.flatMap((subject) => subject.split(/[ /:]/)));
    const named = running.filter((step) => names.has(String(step.vmid)) || names.has(step.node));
    if (named.length > 0) return named;
    const there = running.filter((step) => names.has(step.host));
    // One of them, and nobody knows which: an image that all pull.
    return there.length > 0 ? there : running.slice(0, 1).map((step) => ({ ...step, node: '', vmid: 0 }));
  }
}

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

/** A state of one host or machine is that of the step's own; the others are states of the whole. */
function subjectOfState(fault: FaultName, step: StepPlace): string {
  if (fault === 'host-down') return step.host;
  return fault === 'etcd-slow' || fault === 'time-skew' ? String(step.vmid) : '';
}
