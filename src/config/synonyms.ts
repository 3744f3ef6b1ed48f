/** What keys are called elsewhere (the Terraform module, the cluster template, Proxmox) and here. */
const HERE: Readonly<Record<string, readonly string[]>> = {
  address: ['ip'],
  allowschedulingoncontrolplane: ['scheduleOnControlPlanes'],
  apitoken: ['token'],
  clustername: ['cluster', 'name'],
  controller: ['controlplane'],
  cpu: ['cores', 'cpus'],
  datastore: ['storage', 'imageStorage'],
  diskbackup: ['diskOptions'],
  diskdiscard: ['diskOptions'],
  diskreplicate: ['diskOptions'],
  disksize: ['disk'],
  diskssd: ['diskOptions'],
  factoryurl: ['factory'],
  fstype: ['filesystem'],
  hostnode: ['host'],
  igpu: ['pci'],
  image: ['talos'],
  kubernetesversion: ['kubernetes'],
  macaddr: ['mac'],
  macaddress: ['mac'],
  machinetype: ['role', 'on'],
  nameservers: ['dns'],
  netqueues: ['queues'],
  networkbridge: ['bridge'],
  node: ['host'],
  nodevlantag: ['vlan'],
  onboot: ['onBoot'],
  password: ['token'],
  proxmoxapitoken: ['token'],
  proxmoxcluster: ['cluster'],
  qemuagent: ['agent'],
  ram: ['memory'],
  ramdedicated: ['memory'],
  schematicpath: ['schematic'],
  scsihw: ['scsiHardware'],
  subnetmask: ['subnet'],
  talosmachineconfigversion: ['contract'],
  updateversion: ['talosVersion'],
  url: ['endpoint'],
  vlanid: ['vlan'],
  vlantag: ['vlan'],
  vmcores: ['cores'],
  vmdisksize: ['disk'],
  vmmemory: ['memory'],
  vmshutdowndelay: ['startup'],
  vmsockets: ['sockets'],
  vmstartupdelay: ['startup'],
  vmstartuporder: ['startup'],
};

/** Our word for a foreign key, if it is known at the place. */
export function synonymOf(key: string, known: readonly string[]): string | undefined {
  const plain = key.toLowerCase().replaceAll(/[_\s-]/g, '');
  // `constructor` is a word of every object.
  const words = Object.hasOwn(HERE, plain) ? (HERE[plain] ?? []) : [];
  return words.find((word) => word !== key && known.includes(word));
}
