/** What a lab was asked, by every request: the lab asks for each of them whether a fault strikes. */
import type { Lab } from '../../src/lab/index.js';

const ASKED = new Set(['api-error', 'kube-error', 'call-drop-before']);
const READS =
  /GET |\/cosi\.resource\.State\/(Get|List|Watch)|\/machine\.MachineService\/(Version|ServiceList|EtcdStatus|EtcdMemberList|EtcdAlarmList|Logs|Dmesg)$/;

/** Requests to Proxmox, Kubernetes and Talos since then that change something. */
export function writesTo(lab: Lab): readonly string[] {
  const { faults } = lab.core;
  const { strikes } = faults;
  const writes: string[] = [];
  faults.strikes = (name, ...subjects) => {
    if (ASKED.has(name) && !subjects.some((subject) => READS.test(subject))) writes.push(subjects.join(' '));
    return strikes(name, ...subjects);
  };
  return writes;
}
