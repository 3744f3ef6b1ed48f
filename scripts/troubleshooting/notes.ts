/** What the sources do not say in one place: causes whose text comes from elsewhere, and ways out that follow from the code. */
interface Note {
  readonly says?: string;
  readonly way?: string;
}

/** Texts that look like codes and are none. */
export const NO_CODES: ReadonlySet<string> = new Set(['cluster.kubelet']);

export const NOTES: Readonly<Record<string, Note>> = {
  'adopt-contents': {
    says: 'the partitions of a disk do not fit what oxherd.yaml says of it',
    way: 'correct the volume in oxherd.yaml, or name the disk that it really is; nothing is written to it',
  },
  'apply.ha-error': {
    way: 'see the tasks of the VM for the cause, then `ha-manager set vm:VMID --state disabled` (shuts it down), and once it is stopped the state that it had before; a data VM stays `stopped`',
  },
  'apply.host': {
    says: 'the host lacks what the VM needs to start or to plug a NIC: CPUs, bridge, MTU, storage or PCI mapping',
    way: 'correct it on the host or in oxherd.yaml, then run apply again; the node was not drained',
  },
  'apply.no-machines': {
    way: 'restore `secrets.sops.yaml`, or `oxherd secrets import --from-node ADDRESS`',
  },
  'apply.no-plan': { says: 'the saved plan cannot be read' },
  'apply.no-slot': { way: 'remove a data volume of that node, or give it fewer; a VM has 31 SCSI slots' },
  'apply.no-snapshots': { way: 'restore `secrets.sops.yaml`: etcd is read with a certificate of it' },
  'apply.not-reverted': {
    says: 'a machine config that was tried was not taken back in time',
    way: 'see `oxherd status`; the machine reverts by itself after its try time, or at a reboot',
  },
  'apply.problems': {
    says: 'the plan has a problem',
    way: 'solve the problem that is named, then plan again',
  },
  'apply.rehearsal': {
    way: 'read what failed on the twin, change the config or the cluster, rehearse again',
  },
  'apply.rollout': { way: 'see the pods of the namespace that is named; then run apply again' },
  'apply.plan-changed': {
    says: 'the cluster changed between the plan and the lock: another run, a person, or a machine that came or went',
  },
  'apply.stale-plan': { says: 'the cluster or oxherd.yaml changed since the plan was saved' },
  'apply.vm-locked': {
    way: 'see its tasks in Proxmox; clear a stale lock with `qm unlock VMID`, and remove what a task has left that created a VM without a disk with `qm destroy VMID`',
  },
  'cli.protected-proxmox': {
    says: 'the variables OXHERD_PROXMOX_… of a pipeline are incomplete or not valid',
    way: 'set OXHERD_PROXMOX_ENDPOINT to an https address, and OXHERD_PROXMOX_FINGERPRINT or OXHERD_PROXMOX_CA (absolute path) if the system does not trust its certificate',
  },
  'chaos.thread': { way: 'run the rehearsal again; with less memory use `--budget` for fewer cases' },
  'cli.chaos': { way: 'correct the value' },
  'cli.needs-yes': { way: 'run it in a terminal, or with `--yes`; dangerous commands want `--confirm NAME`' },
  'cli.usage': { says: 'a command, flag or argument is unknown or missing', way: '`oxherd COMMAND --help`' },
  'cluster.machine-unreadable': {
    way: 'check that the machine runs and that the talosconfig is one of its admin',
  },
  'cluster.no-control-plane': { way: 'name a control plane as an endpoint of the talosconfig' },
  'cluster.no-members': {
    way: 'turn on cluster discovery in Talos, or name the nodes in oxherd.yaml yourself',
  },
  'config.ca': { way: 'correct `proxmox.ca`: a PEM file, relative to oxherd.yaml' },
  'config.file-content': { way: 'correct the file at the line that is named' },
  'config.range': {
    says: 'a number is outside its limits',
    way: 'choose one inside; docs/config.md has the limits',
  },
  'config.too-large': { way: 'check the path: an oxherd.yaml has some kilobytes' },
  'config.type': { way: 'write the type that the message names; `oxherd schema` gives it to your editor' },
  'config.value': {
    says: 'a value is not of the form that its key needs',
    way: 'write it like the example in the message',
  },
  'convert.unwritable': { way: 'check the folder and its rights, or name another file' },
  'download.refused': { way: 'check the address; name a mirror or a file with `manifest`' },
  'download.unreachable': {
    way: 'check the network of this machine; name a mirror or a file with `manifest`',
  },
  'etcd-no-quorum': {
    way: 'start the control planes that are off; if their data is lost: `oxherd etcd restore FILE` (docs/recovery.md)',
  },
  'etcd-quorum': { way: 'bring back another control plane first; a majority must agree (docs/recovery.md)' },
  'factory.answer': { says: 'the Image Factory answers with too much', way: 'check `talos.factory`' },
  'file.read': { way: 'check the path and its rights' },
  'file.failed': {
    says: 'a file cannot be read or written',
    way: 'check the path, its rights and the space on the disk',
  },
  'fleet.invalid': { way: 'correct the field of the object that is named' },
  'fleet.time-zone': { way: 'write a name of the tz database, such as Europe/Berlin' },
  'graph.unwritable': { way: 'check the folder and its rights, or name another file' },
  'guard.gate-expression': { says: 'the CEL expression of a gate cannot be evaluated' },
  'ha-spread': { says: 'HA cannot keep the control planes on different hosts' },
  'hcl.too-large': { way: 'check the path: variables of a cluster have some kilobytes' },
  'host-not-back': { says: 'the host is not back in the Proxmox cluster' },
  'host-removed': { way: '`oxherd host lost HOST` (docs/hosts.md)' },
  'host.not-back': { says: 'the host is not back in the Proxmox cluster' },
  'immutable-volume': { way: 'revert the change, or move the data to a volume with another name' },
  'init.unwritable': { way: 'check the folder and its rights' },
  'kubernetes.timeout': { way: 'see the object with `kubectl describe`; then run apply again' },
  'kubernetes.untrusted': {
    way: 'another cluster answers at that address, or the secrets are not of this one: check VIP and secrets file',
  },
  'kubernetes.load-balancer': { says: 'the load balancer section does not fit Cilium or its mode' },
  'lab.root': {
    says: 'a command of root failed in the lab, or the lab does not know it',
    way: 'replace what stands in `<…>`; `oxherd lab root --help` names the commands',
  },
  'lab.option': { says: 'an option of the lab has a value that it cannot use' },
  'node.address': { says: 'the address lies outside the subnet, or is the gateway' },
  'node.count': { way: 'choose a lower first address or vmid, or fewer nodes' },
  'node.nic': {
    says: 'a further NIC has no usable address',
    way: 'write `ip` with `subnet`, or `dhcp: true`, or neither',
  },
  'node.size': { says: 'the VM is smaller than Talos needs' },
  'observation.other-machine': {
    way: 'two machines have one address: see `oxherd status`, then observe again',
  },
  'partition-place': {
    says: 'a partition cannot be where oxherd.yaml puts it',
    way: 'choose the other `place`, or a volume of type `disk`',
  },
  'proxmox.task-failed': {
    way: 'see the log of the task in Proxmox (Datacenter, Tasks); then run apply again',
  },
  replace: {
    says: 'the node cannot be replaced now',
    way: 'do what the message names first, then run replace again',
  },
  'review.missing': {
    says: 'the commit of a pipeline has no plan id of a review',
    way: 'plan the change before it is merged, or review `oxherd plan` and start the job with its plan id',
  },
  'secret.unreadable': { way: 'check the path and its rights; it is relative to oxherd.yaml' },
  'session.read-only': { way: 'use a command that changes things, such as `oxherd apply`' },
  'sops.invalid': { way: 'check that the file was written by SOPS and not edited with another program' },
  'sops.value': { way: 'restore the file from version control, or encrypt the value with `sops` again' },
  'talos.failed': { way: 'see `oxherd status` and the log of the machine (`talosctl dmesg`)' },
  'talos.unreachable': {
    way: 'check that the VM runs and that port 50000 of the address is reached from here',
  },
  'talos.upgrade-failed': {
    way: 'see the last log lines in the message; the machine still runs its old version',
  },
  'template.left-alone': { way: 'nothing to do: your GitOps repository keeps bringing it' },
  'tfvars.variable': { way: 'correct the name, or remove it' },
  'ui.body': { way: 'reload the page; a proxy in between may cut requests' },
  'ui.group': { way: 'reload the page: oxherd.yaml has changed' },
  'ui.reading': { way: 'wait a moment and try again' },
  'ui.refused': { says: 'the dashboard may not do that' },
  'ui.sign-in': {
    way: 'create a token with `kubectl create token`, of an account that may get oxherdclusters, and sign in again',
  },
  'ui.journal': {
    says: 'the journal of that run cannot be read',
    way: 'check the file or folder that the message names, or remove it',
  },
  'ui.unknown': { way: 'reload the page; start the dashboard in the folder of the cluster' },
  'upgrade.illegal': { says: 'there is no supported path to that version' },
  'upgrade.removed-api': {
    says: 'the new Kubernetes no longer serves an API that objects of the cluster use',
    way: 'delete those objects, or change what writes them, before the upgrade',
  },
  'volume-used-elsewhere': { way: 'stop the other VM, or detach the disk from it in Proxmox' },
  'volumes.adopt': {
    says: 'that volume cannot be adopted',
    way: 'name another volume, or detach it from its VM first',
  },
  outage: {
    says: 'the plan takes nodes down while the Kubernetes API is down, or takes it down itself, and policy.outage is refuse',
    way: 'bring the API back or add control planes; or write `outage: ask` for this change and confirm it',
  },
  'vm-locked': {
    way: 'wait for the task; if none runs, `qm unlock VMID`; resume a suspended VM with `qm start VMID`, which keeps its memory',
  },
  'vm-hidden': {
    says: 'a VM id of the cluster is taken by a VM that the API token cannot see',
    way: 'give the token VM.Audit on that VM or its pool (`oxherd doctor` prints the command), then run plan again',
  },
};
