/** Helper drives that a Talos VM lacks: given back, or a problem if that cannot be. */
import type { AuxiliaryDrive, NodeDesign } from '../../design/design.js';
import { driftOf } from '../drift/drift-authors.js';
import type { VmView } from '../facts/view-of-vm.js';
import type { Problem } from '../plan.js';
import type { Draft } from '../planned.js';
import { helperDrives, helperName, type MissingHelper } from './helper-drives.js';

/** The steps after which the VM has them. */
export function planHelperDrives(
  context: Draft,
  node: NodeDesign,
  view: VmView,
  /** Drives that come with another step. */
  except: ReadonlySet<string>,
): string[] {
  const installs = context.asked.replace.includes(node.name);
  const wanted = Object.fromEntries(
    Object.entries(node.talosVm.auxiliary).filter(([slot]) => !except.has(slot)),
  );
  const { missing, blocked } = helperDrives(wanted, view, { installs });
  context.problems.push(
    ...blocked.map(({ drive, by }) => noSlotFor(node, drive, by)),
    ...missing.flatMap(({ drive }) => (drive.kind === 'tpm' ? [tpmGone(node)] : [])),
  );
  return missing.flatMap((helper) =>
    helper.drive.kind === 'tpm' ? [] : [addHelper(context, node, view, helper)],
  );
}

function addHelper(
  { list }: Draft,
  node: NodeDesign,
  { vm }: VmView,
  { slot, drive }: MissingHelper,
): string {
  const reason = `VM ${vm.vmid} has no ${helperName(drive)}`;
  return list.add(`${vm.vmid}/${slot}`, {
    kind: 'add-helper-drive',
    node: node.name,
    title: `add the ${helperName(drive)} to VM ${vm.vmid} (${vm.name}) as ${slot}`,
    reasons: [
      reason,
      ...(vm.status === 'running' ? ['the machine sees it from the next start of its VM on'] : []),
    ],
    // With a new system disk the media are needed again; nothing else of oxherd.yaml takes a helper drive away.
    ...driftOf([[reason, drive.kind === 'cdrom' ? undefined : 'unknown']]),
    impact: 'none',
    needs: [],
    load: { host: vm.host, ...('storage' in drive && { storage: drive.storage }) },
    vmid: node.talosVm.vmid,
    host: vm.host,
    slot,
    helper: drive,
  });
}

function noSlotFor(node: NodeDesign, drive: AuxiliaryDrive, by: string): Problem {
  const { vmid } = node.talosVm;
  return {
    code: 'helper-drive',
    scope: 'node',
    node: node.name,
    message: `VM ${vmid} has no ${helperName(drive)}, and every slot for one is taken (${by}); with a new system disk it could not start`,
    advice: `free one of them, for example: qm set ${vmid} --delete ${by.slice(0, by.indexOf(':'))}`,
  };
}

/** A new TPM has none of the keys that the old one held. */
function tpmGone(node: NodeDesign): Problem {
  const { vmid } = node.talosVm;
  return {
    code: 'helper-drive',
    scope: 'node',
    node: node.name,
    message: `VM ${vmid} has no TPM state, which holds the keys of its encrypted volumes`,
    advice: `do not restart it; restore tpmstate0 of VM ${vmid} from a backup`,
  };
}
