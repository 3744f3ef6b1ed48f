/**
 * What changing a key of the config does to a cluster that runs. docs/changes.md is made of it, and a test demands an
 * entry for every key of the schema.
 */

import { type Entry, e } from './effect.js';
import { KUBERNETES_EFFECTS } from './kubernetes-effects.js';

const AT_RESTART = e('restart', 'one VM at a time: drain, stop, start');
const LATER = e('none', 'used by the next plan and run');
const BACKUP_JOB = e('none', 'the backup job in Proxmox is created or changed; no VM is touched');
const TABLES = e('none', 'used by checks, tables and pictures');
const HOT = e('live', 'written to the VM at once');
const HA = e(
  'live',
  'HA resources and rules in Proxmox are created, changed or removed; HA may move a VM that a rule keeps apart',
);
const NIC = e(
  'component',
  'the NIC is changed while the VM runs, one node at a time; it is changed back if the node does not answer',
);
const UUID = e(
  ['refused', 'restart'],
  'a VM keeps the uuid it has: another one is refused; taken out, the VM gets the computed one at a rolled stop and start, which is refused where disk keys come from it',
);
const MTU = e(
  ['component', 'restart'],
  'NIC and link, one node at a time: 64 KiB must pass both ways. Removed, it stays until a rolled reboot',
);
const NEW_NICS = e(
  ['live', 'component'],
  'a NIC that is added or removed is hot-plugged; one that changes interrupts that network',
);
const PATCH = e(
  ['live', 'component', 'restart'],
  'as the fields that differ ask for: at once, rolled in try mode, or at a rolled reboot',
);
const DRIVE = e('restart', 'options of a drive wait for a rolled stop and start');
const NEW_ONLY = e('none', 'for VMs created from now on');
const MOVE = e(
  ['live', 'restart'],
  'volumes are moved: live where the VM allows it, else while it is stopped',
);
const SIZE = e(
  ['live', 'restart'],
  'grows live; the file system follows at one rolled reboot. Smaller is refused',
);
const ENCRYPTION = e(
  'refused',
  'a volume that exists keeps its encryption; a new disk brings the new one (`apply --fresh --only NODE`, `replace NODE`)',
);
const FILESYSTEM = e(
  'refused',
  'a volume that exists keeps its file system; add a volume with another name and copy the data',
);
const VOLUME_NODES = e(
  ['live', 'restart'],
  'created on nodes that get it, parked on nodes that lose it (up to Talos 1.13 a rolled reboot before it is detached); the data is kept',
);
const VOLUME_TYPE = e('refused', 'add a volume with another name and copy the data');
const RENAME = e('live', 'the disk is kept and gets the new name');
const BACKUP = e('live', 'an option of the drive, written at once');
const CSI_VOLUME = e(
  'refused',
  'a PersistentVolume never comes to mean another disk; add a volume and move the data',
);

export const CHANGE_EFFECTS: Readonly<Record<string, Entry>> = {
  'cluster.name': e('refused', 'the name is part of every identity: it would be another cluster'),
  'cluster.env': e('refused', 'part of every identity, as `cluster.name` is'),
  'cluster.vip': e(
    ['component', 'restart'],
    'control planes get it at a rolled reboot, as etcd must not advertise it; kubelets of workers restart in try mode; client files are written again',
  ),
  'cluster.endpoint': e('component', 'kubelets get the new address, one node at a time, in try mode'),
  'cluster.kubernetes': e(
    'component',
    'upgraded part by part, one minor at a time, pods stay but for one node, which is drained for the first kubelet; a minor back is refused once an upgrade has ended',
  ),
  'cluster.scheduleOnControlPlanes': e('live', 'the taint of control planes is added or removed'),
  'cluster.onBoot': HOT,
  'cluster.domain': e(
    'refused',
    'names of services contain it; build a second cluster and move the workloads',
  ),
  'cluster.podSubnets': e(
    'refused',
    'pods have addresses of it; build a second cluster and move the workloads',
  ),
  'cluster.serviceSubnets': e(
    'refused',
    'services have addresses of it; build a second cluster and move the workloads',
  ),
  'cluster.certSANs': e(
    'component',
    'the API server restarts with another certificate, one node at a time, in try mode',
  ),
  'cluster.apiServer': e('component', 'API servers restart one after the other, in try mode'),
  'cluster.kubelet': e('component', 'kubelets restart one after the other, in try mode'),
  'cluster.machineFeatures': e(
    ['live', 'component', 'restart'],
    'host DNS and KubePrism in try mode; access to the Talos API at once; other features at a rolled reboot',
  ),
  'cluster.extraManifests': e('live', 'applied; what leaves the list stays in the cluster'),
  'cluster.extraManifests[].url': e('live', 'applied; what leaves the list stays in the cluster'),
  'cluster.extraManifests[].sha256': e('live', 'checked at the next download'),
  'talos.version': e(
    ['restart', 'replace'],
    'one node at a time, one minor at a time, as `policy.upgrade` says; downgrades are refused',
  ),
  'talos.contract': e(
    ['live', 'component', 'restart'],
    'configs are written in that generation; rolled as the fields that differ ask for',
  ),
  'talos.schematic': e(['restart', 'replace'], 'installed like an upgrade, one node at a time'),
  'talos.factory': e('live', 'the installer image of the next upgrade'),
  'talos.platform': NEW_ONLY,
  'talos.arch': e('refused', 'another architecture is another machine: add nodes and remove the old ones'),
  'talos.patches': PATCH,
  'talos.patches.all': PATCH,
  'talos.patches.controlplane': PATCH,
  'talos.patches.worker': PATCH,
  'talos.registryMirrors': e('live', 'used by the next pull'),
  'talos.encryption': ENCRYPTION,
  'talos.encryption.state': ENCRYPTION,
  'talos.encryption.ephemeral': ENCRYPTION,
  'talos.encryption.state.*': ENCRYPTION,
  'talos.encryption.ephemeral.*': ENCRYPTION,
  'proxmox.endpoint': LATER,
  'proxmox.endpoint.url': LATER,
  'proxmox.endpoint.fingerprint': LATER,
  'proxmox.endpoint[].url': LATER,
  'proxmox.endpoint[].fingerprint': LATER,
  'proxmox.cluster': e(
    'live',
    'the region label of nodes; the CSI driver finds volumes by it, so volumes that exist keep the old one',
  ),
  'proxmox.token': LATER,
  'proxmox.ca': LATER,
  'proxmox.fingerprint': LATER,
  'proxmox.insecure': LATER,
  'proxmox.imageStorage': e('none', 'images are downloaded there from now on'),
  'proxmox.pool': e('live', 'VMs join the new pool'),
  'network.subnet': e(
    'component',
    'links get the new prefix, one node at a time, in try mode; addresses must lie in it',
  ),
  'network.gateway': e(
    'component',
    'one node at a time, in try mode: what lies behind the gateway must answer',
  ),
  'network.dns': e('component', 'one node at a time, in try mode'),
  'network.searchDomains': e('component', 'one node at a time, in try mode'),
  'network.ntp': e('live', 'time servers are asked from now on'),
  'network.firstBoot': NEW_ONLY,
  'network.dhcpRange': e('none', 'used by checks of the config'),
  'network.bridge': NIC,
  'network.vlan': NIC,
  'network.mtu': MTU,
  'network.queues': NIC,
  'network.firewall': HOT,
  'defaults.profile': e(['live', 'restart'], 'as the keys whose defaults differ'),
  'defaults.all': e(['live', 'restart'], 'as its keys below'),
  'defaults.controlplane': e(['live', 'restart'], 'as the keys of `defaults.all`'),
  'defaults.worker': e(['live', 'restart'], 'as the keys of `defaults.all`'),
  'defaults.all.cores': AT_RESTART,
  'defaults.all.sockets': AT_RESTART,
  'defaults.all.cpuType': AT_RESTART,
  'defaults.all.numa': AT_RESTART,
  'defaults.all.memory': AT_RESTART,
  'defaults.all.balloon': AT_RESTART,
  'defaults.all.bios': e(
    ['replace', 'refused'],
    'one node at a time: a new system disk, since the old one starts with one firmware only; refused with the layout `single`',
  ),
  'defaults.all.machine': AT_RESTART,
  'defaults.all.scsiHardware': AT_RESTART,
  'defaults.all.ostype': AT_RESTART,
  'defaults.all.agent': AT_RESTART,
  'defaults.all.onBoot': HOT,
  'defaults.all.ha': HA,
  'defaults.all.ha.*': HA,
  'defaults.all.tags': HOT,
  'defaults.all.description': HOT,
  'defaults.all.startup': HOT,
  'defaults.all.startup.*': HOT,
  'defaults.all.storage': MOVE,
  'defaults.all.layout': e(
    'refused',
    'the disks of a node belong to one layout: remove the node and add it again',
  ),
  'defaults.all.boot': NEW_ONLY,
  'defaults.all.disk': SIZE,
  'defaults.all.osDisk': e(['live', 'replace'], 'grows live; another image comes with `replace`'),
  'defaults.all.diskOptions': DRIVE,
  'defaults.all.diskOptions.discard': DRIVE,
  'defaults.all.diskOptions.ssd': DRIVE,
  'defaults.all.diskOptions.iothread': DRIVE,
  'defaults.all.diskOptions.cache': DRIVE,
  'defaults.all.diskOptions.aio': DRIVE,
  'defaults.all.diskOptions.backup': BACKUP,
  'defaults.all.diskOptions.replicate': BACKUP,
  'defaults.all.pci': AT_RESTART,
  'defaults.all.pci[].*': AT_RESTART,
  'defaults.all.bridge': NIC,
  'defaults.all.vlan': NIC,
  'defaults.all.mtu': MTU,
  'defaults.all.queues': NIC,
  'defaults.all.firewall': HOT,
  'defaults.all.nics': NEW_NICS,
  'defaults.all.nics[].*': NEW_NICS,
  'defaults.all.dns': e('component', 'one node at a time, in try mode'),
  'defaults.all.labels': e('live', 'set on the node object'),
  'defaults.all.taints': e(
    'live',
    'set on the node object; pods that do not tolerate it leave with `NoExecute`',
  ),
  'defaults.all.taints[].*': e('live', 'set on the node object'),
  'nodes.<name>.role': e('refused', 'remove the node, then add it with another vmid'),
  'nodes.<name>.count': e(
    ['live', 'remove'],
    'more nodes join; fewer are drained and removed, their data is kept',
  ),
  'nodes.<name>.host': e(['live', 'restart'], 'moved there: live on shared storage, else with a stop'),
  'nodes.<name>.hosts': e(['live', 'restart'], 'nodes whose host differs are moved'),
  'nodes.<name>.ip': e(
    ['restart', 'refused'],
    'workers are re-addressed one by one; control planes with three healthy members, a shared endpoint and a snapshot',
  ),
  'nodes.<name>.vmid': e('refused', 'the identity of its disks: remove the node and add another one'),
  'nodes.<name>.mac': e('restart', 'NIC and config together, one node at a time: drain, stop, start'),
  'nodes.<name>.uuid': UUID,
  'nodes.<name>.talosVersion': e(['restart', 'replace'], 'upgraded like `talos.version`'),
  'nodes.<name>.schematic': e(['restart', 'replace'], 'installed like an upgrade'),
  'nodes.<name>.patches': PATCH,
  'volumes.<name> (directory).type': VOLUME_TYPE,
  'volumes.<name> (directory).on': e(
    ['live', 'restart'],
    'created on nodes that get it; the directory stays on nodes that lose it',
  ),
  'volumes.<name> (directory).size': e('none', 'a directory has no size of its own'),
  'volumes.<name> (disk).type': VOLUME_TYPE,
  'volumes.<name> (disk).on': VOLUME_NODES,
  'volumes.<name> (disk).size': SIZE,
  'volumes.<name> (disk).storage': MOVE,
  'volumes.<name> (disk).was': RENAME,
  'volumes.<name> (disk).filesystem': FILESYSTEM,
  'volumes.<name> (disk).backup': BACKUP,
  'volumes.<name> (partition).type': VOLUME_TYPE,
  'volumes.<name> (partition).on': VOLUME_NODES,
  'volumes.<name> (partition).size': SIZE,
  'volumes.<name> (partition).place': VOLUME_TYPE,
  'volumes.<name> (partition).storage': MOVE,
  'volumes.<name> (partition).was': RENAME,
  'volumes.<name> (partition).filesystem': FILESYSTEM,
  'volumes.<name> (partition).backup': BACKUP,
  'volumes.<name> (proxmox-csi).type': VOLUME_TYPE,
  'volumes.<name> (proxmox-csi).size': e('live', 'grows with its claim; smaller is refused'),
  'volumes.<name> (proxmox-csi).host': CSI_VOLUME,
  'volumes.<name> (proxmox-csi).storage': CSI_VOLUME,
  'volumes.<name> (proxmox-csi).format': e('none', 'for volumes created from now on'),
  'volumes.<name> (proxmox-csi).vmid': CSI_VOLUME,
  'volumes.<name> (proxmox-csi).filesystem': FILESYSTEM,
  'volumes.<name> (proxmox-csi).storageClass': e('refused', 'fixed in a PersistentVolume that exists'),
  'volumes.<name> (proxmox-csi).backup': e(
    'refused',
    'fixed in a PersistentVolume that exists: delete the volume object (its disk is kept) and apply',
  ),
  'hosts.<name>.cpus': TABLES,
  'hosts.<name>.memory': TABLES,
  'hosts.<name>.storages': TABLES,
  'hosts.<name>.reservations': TABLES,
  'hosts.<name>.reservations.<name>.*': TABLES,
  ...KUBERNETES_EFFECTS,
  'backup.*': BACKUP_JOB,
  'backup.keep.*': BACKUP_JOB,
  'policy.*': LATER,
  'policy.drain.*': LATER,
  'policy.keep.*': LATER,
  'policy.host.*': LATER,
  'policy.gates.<name>.*': LATER,
  'policy.overcommit.*': LATER,
};

/** The entry of a key; one with `*` speaks for all keys right below a path. */
export function effectOf(path: string): Entry | undefined {
  return CHANGE_EFFECTS[path] ?? CHANGE_EFFECTS[`${path.slice(0, path.lastIndexOf('.'))}.*`];
}
