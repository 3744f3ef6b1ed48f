import { formatPath, type Path } from '../yaml/position.js';
import { gatewayAndVip, nodeAddresses, separateNetworks, uniqueAddresses } from './addresses.js';
import { architecture } from './architecture.js';
import type { Check, CheckInput } from './check.js';
import { controlPlanes } from './control-planes.js';
import { encryption } from './encryption.js';
import { firstBoot } from './first-boot.js';
import { gitopsSource } from './gitops.js';
import { cpuTypes, guestAgent, ioThreads, machineSizes, pciExpress } from './hardware.js';
import { knownHosts, placement } from './hosts.js';
import { addressFamilies, csiAccess, gatewayApi, labelsAndTaints } from './kubernetes.js';
import { loadBalancerNetwork, loadBalancerPool } from './load-balancer.js';
import { clusterFolder, dataVmNames, hostNames, nodeNames, reservedTags, volumeNames } from './names.js';
import { furtherNics, macs } from './nics.js';
import { readyGates, upgradeWay } from './policy.js';
import { schematics } from './schematics.js';
import { scsiSlots } from './slots.js';
import { contract, talosAndKubernetes } from './versions.js';
import { vmids } from './vmids.js';
import { fileSystems, partitions, renames, volumeSizes, volumeTargets } from './volumes.js';

const CHECKS: readonly Check[] = [
  clusterFolder,
  nodeNames,
  dataVmNames,
  volumeNames,
  reservedTags,
  hostNames,
  gatewayAndVip,
  nodeAddresses,
  uniqueAddresses,
  separateNetworks,
  macs,
  furtherNics,
  vmids,
  controlPlanes,
  talosAndKubernetes,
  contract,
  volumeTargets,
  volumeSizes,
  partitions,
  fileSystems,
  renames,
  scsiSlots,
  placement,
  knownHosts,
  cpuTypes,
  architecture,
  machineSizes,
  ioThreads,
  pciExpress,
  schematics,
  guestAgent,
  encryption,
  firstBoot,
  csiAccess,
  gatewayApi,
  loadBalancerNetwork,
  loadBalancerPool,
  gitopsSource,
  addressFamilies,
  labelsAndTaints,
  upgradeWay,
  readyGates,
];

/** A check whose values were refused has nothing to say. */
export function runChecks({ broken, ...input }: CheckInput & { broken: readonly Path[] }): void {
  const refused = broken.map(formatPath);
  for (const check of CHECKS) {
    const blind = check.needs.some((need) =>
      refused.some((path) => path === need || need.startsWith(`${path}.`) || path.startsWith(`${need}.`)),
    );
    if (!blind) check.run(input);
  }
}
