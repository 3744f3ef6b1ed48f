/** Runs with machines that are worth cutting off: the way to a cluster, a change that needs reboots, an upgrade. */
import { smallCluster } from './configs.js';
import type { MachineScenario } from './machine-crash.js';

function cluster(controlPlanes: number, workers: number, talos = 'version: v1.14.1'): string {
  return smallCluster({
    controlPlanes,
    workers,
    hosts: ['pve1'],
    volumes: '  data: { type: directory }',
    more: 'hosts: { pve1: {} }\npolicy: { outage: allow }',
  }).replace('version: v1.14.1', talos);
}

/** From the machines' first boot on: two that could both be bootstrapped. */
export const FIRST_BOOT: MachineScenario = { config: cluster(2, 0) };

/** One that has no part in etcd beside them. */
export const FIRST_BOOT_WITH_WORKER: MachineScenario = { config: cluster(2, 1) };

/** The environment of a machine's services is read at boot alone. */
export const STAGED_CHANGE: MachineScenario = {
  start: cluster(1, 1),
  config: cluster(
    1,
    1,
    'version: v1.14.1, patches: { all: [{ machine: { env: { GRPC_GO_LOG_SEVERITY_LEVEL: info } } }] }',
  ),
};

/** Another flag of the kubelet: tried on one node after the other. */
export const TRIED_CHANGE: MachineScenario = {
  start: cluster(1, 1),
  config: patched('{ machine: { kubelet: { extraArgs: { v: "4" } } } }'),
};

function patched(patch: string, planes = 1, workers = 1): string {
  return cluster(planes, workers, `version: v1.14.1, patches: { all: [${patch}] }`);
}

export const TALOS_UPGRADE: MachineScenario = {
  start: cluster(1, 1, 'version: v1.13.9'),
  config: cluster(1, 1),
};

/** The worker goes to another host with its data. */
export const MACHINE_MOVES: MachineScenario = {
  start: onTwoHosts('pve1'),
  config: onTwoHosts('pve2'),
};

/** The worker gets another name; its machine stays what it is. */
export const MACHINE_RENAMED: MachineScenario = {
  start: onTwoHosts('pve1'),
  config: onTwoHosts('pve1').replace('  work: {', '  anvil: {'),
};

function onTwoHosts(host: string): string {
  return cluster(1, 1)
    .replace('hosts: { pve1: {} }', 'hosts: { pve1: {}, pve2: {} }')
    .replace(/(work: \{ role: worker, count: 1, hosts: )\[pve1\]/, `$1[${host}]`);
}

/** The MTU leaves oxherd.yaml: it stays on the links until a boot. */
export const MTU_REMOVED: MachineScenario = {
  start: cluster(1, 1).replace('network: {', 'network: { mtu: 1400,'),
  config: cluster(1, 1),
};

/** The worker gets another address: config and cloud-init drive together. */
export const READDRESSED: MachineScenario = {
  start: cluster(1, 1),
  config: cluster(1, 1).replace('ip: 10.20.30.51', 'ip: 10.20.30.61'),
};
