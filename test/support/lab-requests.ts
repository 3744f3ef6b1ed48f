/** What a lab was asked, by every request: the lab asks for each of them whether a fault strikes. */
import type { Lab } from '../../src/lab/index.js';

const ASKED = new Set(['api-error', 'kube-error', 'call-drop-before']);
const READS =
  /GET |\/cosi\.resource\.State\/(Get|List|Watch)|\/machine\.MachineService\/(Version|ServiceList|EtcdStatus|EtcdMemberList|EtcdAlarmList|Logs|Dmesg)$/;

export interface LabRequest {
  readonly text: string;
  /** It changes nothing. */
  readonly reads: boolean;
}

/** Gives every request to Proxmox, Kubernetes and Talos from now on; returns how to stop that. */
export function heardRequests(lab: Lab, hear: (request: LabRequest) => void): () => void {
  const { faults } = lab.core;
  const { strikes } = faults;
  faults.strikes = (name, ...subjects) => {
    if (ASKED.has(name))
      hear({ text: subjects.join(' '), reads: subjects.some((subject) => READS.test(subject)) });
    return strikes(name, ...subjects);
  };
  return () => {
    faults.strikes = strikes;
  };
}

/** Requests to Proxmox, Kubernetes and Talos since then that change something. */
export function writesTo(lab: Lab): readonly string[] {
  const writes: string[] = [];
  heardRequests(lab, ({ text, reads }) => {
    if (!reads) writes.push(text);
  });
  return writes;
}
