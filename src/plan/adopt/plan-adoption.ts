/**
 * Takes a running cluster over: the VMs get the cluster's tags, notes and identities, and everything else that
 * oxherd.yaml says of them and that changes nothing for the guests. The plan is the one that `apply` would make if the VMs
 * were ours already, with what makes them ours in front, in one write for each VM: the data VM before its Talos VM.
 */

import type { Design, DriveDesign, NodeDesign } from '../../design/design.js';
import { DESCRIPTION_LIMIT } from '../../formats/marks/adoption-note.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { isCsiDrive } from '../../formats/marks/drive-claim.js';
import { besideWwnOf } from '../../formats/marks/identities.js';
import { ownershipOf } from '../../formats/marks/ownership.js';
import { printDrive } from '../../formats/proxmox/property-string.js';
import type { VmDrive } from '../../formats/proxmox/vm-config.js';
import { driveOptionsOf } from '../../formats/proxmox/vm-option.js';
import type { Wwn } from '../../model/identity.js';
import type { MachineDisk } from '../../observe/disks/machine-disks.js';
import type { Known, Observed, ObservedVm } from '../../observe/observed.js';
import { visibleVm, withVms } from '../../observe/observed-vms.js';
import { actualSize, driveChange } from '../facts/drive-facts.js';
import { vmView } from '../facts/view-of-vm.js';
import { makePlan } from '../make-plan.js';
import type { Note, Plan, Problem } from '../plan.js';
import { inOrder, type PlanOptions, planCluster } from '../plan-cluster.js';
import { StepList } from '../step-list.js';
import type { Step, StepOf, ValueChange } from '../steps.js';
import { asOurs, type Candidate, changesBetween, valuesOf, withNote, withSteps } from './adopted-vm.js';
import { adoptionProblems, uuidOfVm } from './check-adoption.js';
import { type DiskQuestion, matchDisks, questionProblem } from './match-disks.js';

interface AdoptionInput {
  readonly design: Design;
  /** With the VMs on the ids of oxherd.yaml in `vms`, whosever they are. */
  readonly observed: Observed;
  /** By node. */
  readonly disks: Readonly<Record<string, Known<readonly MachineDisk[]>>>;
  /** Others that still manage the cluster. */
  readonly owners: readonly Problem[];
  readonly answers: Readonly<Record<string, string>>;
  readonly options: PlanOptions;
}

interface Adoption {
  readonly plan: Plan;
  readonly questions: readonly DiskQuestion[];
}

export function planAdoption(input: AdoptionInput): Adoption {
  const { design, observed, owners, options } = input;
  const nodes = inOrder(design.nodes);
  const problems = [...adoptionProblems(design, observed), ...owners];
  const matched = nodes.map((node) => candidatesOf(input, node));
  const questions = matched.flatMap((each) => each.questions);
  problems.push(...matched.flatMap((each) => each.problems), ...questions.map(questionProblem));
  const candidates = matched.flatMap((each) => each.candidates);
  if (problems.length > 0) return { plan: refused(input, problems), questions };
  const ours = candidates.map((each) => withNote(each.vm, asOurs(each)));
  const first = planCluster(design, { ...observed, vms: withVms(observed.vms, ours) }, options);
  const noted = candidates.map((each) => withNote(each.vm, withSteps(asOurs(each), first.steps)));
  // Once more: the notes that plans keep in descriptions go around the line that was added.
  const inner = planCluster(design, { ...observed, vms: withVms(observed.vms, noted) }, options);
  // The second plan finds what the first one would have written: what that needs a restart for is told by the first alone.
  const stopped = [...inner.problems, ...tooMuch([...first.steps, ...inner.steps])];
  const finished = noted.map((vm) => withSteps(vm, inner.steps));
  stopped.push(...tooLong(finished));
  if (stopped.length > 0) return { plan: refused(input, stopped, inner.notes), questions };
  const list = new StepList();
  const adopted = adoptionSteps(list, input, candidates, finished);
  const changed = new Set<number>(finished.map(({ vmid }) => vmid));
  const folded = inner.steps.filter((step) => isFolded(step, changed));
  const rest = inner.steps
    .filter((step) => !folded.includes(step))
    .map((step) => after(step, folded, adopted));
  const { machines, kubernetes } = options;
  const plan = makePlan(design, observed, {
    steps: [...list.steps, ...rest],
    notes: inner.notes,
    machines,
    kubernetes,
  });
  return { plan, questions };
}

function refused(
  { design, observed, options }: AdoptionInput,
  problems: readonly Problem[],
  notes: readonly Note[] = [],
): Plan {
  const { machines, kubernetes } = options;
  return makePlan(design, observed, { steps: [], problems, notes, machines, kubernetes });
}

/** The VMs of a node that are not ours, with the drive that each disk of the design is. */
function candidatesOf(
  { design, observed, disks, answers }: AdoptionInput,
  node: NodeDesign,
): { candidates: Candidate[]; questions: readonly DiskQuestion[]; problems: readonly Problem[] } {
  const none = { candidates: [], questions: [], problems: [] };
  const vms = [node.dataVm, node.talosVm].flatMap((vm) => (vm && visibleVm(observed, vm.vmid)) ?? []);
  const foreign = vms.filter((vm) => !isOurs(design, vm));
  const talos = visibleVm(observed, node.talosVm.vmid);
  const view = talos && vmView(talos);
  const seen = disks[node.name];
  if (foreign.length === 0 || !view || !seen?.known) return none;
  const sizeOf = (drive: { readonly file: string }) => actualSize(observed.volumes, talos.host, drive.file);
  const { slots, questions, problems } = matchDisks(node, view, seen.value, { answers, sizeOf });
  const wrong = [...slots].filter(([, { slot }]) => slot.startsWith('virtio'));
  const byVolume = new Map([...slots].map(([drive, { file }]) => [file, drive]));
  const candidates = foreign.map((vm): Candidate => {
    const kind = vm.vmid === node.talosVm.vmid ? 'talos' : 'data';
    const drives = (vmView(vm)?.drives ?? []).flatMap(({ slot, file }) => {
      const drive = byVolume.get(file);
      return drive ? [{ slot, drive }] : [];
    });
    const optionsOf = (drive: DriveDesign) =>
      drive.owner === vm.vmid ? drive.ownerOptions : drive.talosOptions;
    const tags = [design.cluster.tag, ...(kind === 'data' ? [DATA_TAG] : [])];
    const named = drives.map(({ slot, drive }): [string, Wwn] => [slot, drive.wwn]);
    return {
      vm,
      node: node.name,
      kind,
      identities: new Map([...named, ...disksBeside(design, node, vm, byVolume)]),
      options: new Map(drives.map(({ slot, drive }) => [slot, optionsOf(drive)])),
      tags,
    };
  });
  return {
    candidates,
    questions,
    problems: [...problems, ...wrong.map(([drive, there]) => virtioDrive(node, drive.name, there))],
  };
}

/** Disks that the node has besides those of oxherd.yaml: they get a WWN too, and stay as they are. */
function disksBeside(
  { cluster }: Design,
  { talosVm }: NodeDesign,
  vm: ObservedVm,
  named: ReadonlyMap<string, DriveDesign>,
): [string, Wwn][] {
  return (vmView(vm)?.drives ?? [])
    .filter((drive) => /^scsi\d+$/.test(drive.slot) && drive.wwn === undefined && !isCsiDrive(drive))
    .filter(({ file }) => !named.has(file))
    .map(({ slot, file }) => [slot, besideWwnOf(cluster, talosVm.vmid, file)]);
}

function isOurs({ cluster }: Design, vm: ObservedVm): boolean {
  const view = vmView(vm);
  return view !== undefined && ownershipOf(cluster, vm.vmid, view.effective).ours;
}

function virtioDrive(node: NodeDesign, name: string, { slot, file, options }: VmDrive): Problem {
  const { vmid } = node.talosVm;
  const boots = name === 'os' ? ` --scsihw virtio-scsi-single --boot order=scsi${slot.slice(6)}` : '';
  const line = printDrive({ file, options });
  const to = `scsi${slot.slice(6)}`;
  return {
    code: 'adopt-virtio',
    scope: 'plan',
    node: node.name,
    message: `${name} of ${node.name} is on ${slot}, where a drive cannot carry an identity (wwn)`,
    advice: `move it to a SCSI slot while the VM is off: qm shutdown ${vmid} && qm set ${vmid} --delete ${slot} && qm set ${vmid} --${to} ${line}${boots} && qm start ${vmid}; then run \`oxherd init --from-cluster --force\` again`,
  };
}

/** What does more than write down what is there belongs to `apply`. */
function tooMuch(steps: readonly Step[]): Problem[] {
  return steps
    .filter(({ impact, kind }) => (impact !== 'none' && impact !== 'live') || kind === 'change-config')
    .map((step) => ({
      code: 'adopt-changes',
      scope: 'plan' as const,
      ...(step.node !== undefined && { node: step.node }),
      message: `oxherd.yaml differs from the running cluster: ${step.title} (${step.reasons.join('; ')})`,
      advice:
        'write into oxherd.yaml what is there (`oxherd init --from-cluster --force`), adopt it, and change it after that',
    }));
}

function tooLong(vms: readonly ObservedVm[]): Problem[] {
  return vms
    .filter((vm) => [...(valuesOf(vm).description ?? '')].length > DESCRIPTION_LIMIT)
    .map((vm) => ({
      code: 'adopt-description',
      scope: 'plan' as const,
      message: `the description of VM ${vm.vmid} leaves no room for oxherd's notes (Proxmox takes ${DESCRIPTION_LIMIT} characters)`,
      advice: `shorten it by a third: qm set ${vm.vmid} --description '…'`,
    }));
}

function adoptionSteps(
  list: StepList,
  { design, observed }: AdoptionInput,
  candidates: readonly Candidate[],
  finished: readonly ObservedVm[],
): readonly string[] {
  const dataSteps = new Map<string, string>();
  return candidates.map((candidate, i) => {
    const { vm, node, kind, identities } = candidate;
    const after = finished[i] ?? vm;
    const designed = design.nodes.find(({ name }) => name === node);
    const uuid = kind === 'talos' ? uuidOfVm(vm) : undefined;
    const bySlot = vmView(vm)?.bySlot;
    const needs = kind === 'talos' ? [dataSteps.get(node)] : [];
    const address = observed.machines[node]?.address ?? designed?.ip ?? '';
    const changes = changesBetween(valuesOf(vm), valuesOf(after));
    const step = list.add(String(vm.vmid), {
      kind: 'adopt-vm',
      node,
      title: `adopt ${kind === 'data' ? 'data VM' : 'VM'} ${vm.vmid} (${vm.name})`,
      reasons: reasonsOf(changes, identities),
      impact: kind === 'talos' ? 'live' : 'none',
      needs,
      load: { host: vm.host },
      vmid: vm.vmid,
      host: vm.host,
      ...(uuid !== undefined && { machine: { uuid, ip: address } }),
      volumes: Object.fromEntries(
        [...identities.keys()].map((slot) => [slot, bySlot?.get(slot)?.file ?? '']),
      ),
      changes,
    });
    if (kind === 'data') dataSteps.set(node, step);
    return step;
  });
}

function reasonsOf(changes: StepOf<'adopt-vm'>['changes'], identities: ReadonlyMap<string, Wwn>): string[] {
  const others = Object.keys(changes).filter(
    (key) => !identities.has(key) && key !== 'tags' && key !== 'description',
  );
  return [
    `tags ${changes.tags?.from ?? '(none)'} → ${changes.tags?.to ?? '(none)'}`,
    ...[...identities.keys()].map((slot) => `${slot}: ${driveReason(changes[slot])}`),
    ...others.map((key) => `${key} ${changes[key]?.from ?? '(none)'} → ${changes[key]?.to ?? '(none)'}`),
    'notes in its description; what was there before is kept for `adopt --undo`',
  ];
}

function driveReason({ from, to }: ValueChange = {}): string {
  return driveChange(driveOptionsOf(from ?? 'none'), driveOptionsOf(to ?? 'none'));
}

/** Written by the step that takes the VM over. */
function isFolded(step: Step, vmids: ReadonlySet<number>): boolean {
  return (step.kind === 'set-options' || step.kind === 'set-drive-options') && vmids.has(step.vmid);
}

function after(step: Step, folded: readonly Step[], adopted: readonly string[]): Step {
  const gone = new Set(folded.map(({ id }) => id));
  return { ...step, needs: [...new Set([...adopted, ...step.needs.filter((need) => !gone.has(need))])] };
}
