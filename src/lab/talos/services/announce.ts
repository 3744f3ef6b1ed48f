/** What runs on the machines, told to the Kubernetes part. */
import type { Machine, Room } from '../machine/machine.js';
import { imageTag } from './component-args.js';

export function announce(room: Room, machines: readonly Machine[]): void {
  const hook = room.kubernetes;
  if (!hook) return;
  for (const machine of machines) {
    const { facts, record, ip } = machine;
    const kubelet = machine.service('kubelet')?.state === 'Running' && record.stage === 'running';
    if (kubelet && facts && ip) {
      const { hardware } = machine;
      hook.kubeletStarted({
        vmid: machine.vmid,
        cluster: facts.cluster.id,
        nodeName: machine.nodeName,
        role: facts.type,
        ip,
        labels: facts.kubelet.labels,
        taints: nodeTaints(machine),
        version: imageTag(facts.kubelet.image),
        talosVersion: record.system?.version ?? '',
        arch: record.system?.arch ?? 'amd64',
        machineId: machine.state?.nodeId.slice(0, 32) ?? '',
        systemUuid: hardware.uuid,
        bootId: machine.bootId,
        cores: hardware.cores,
        memory: hardware.memory,
        annotations: facts.kubelet.annotations,
        images: facts.images,
        failing: facts.failing,
      });
    } else {
      hook.kubeletStopped(machine.vmid);
    }
    const etcdCluster = machine.etcdData?.clusterId;
    const serves =
      record.stage === 'running' &&
      record.controlPlane === 'running' &&
      facts?.failing['kube-apiserver'] === undefined;
    if (serves && facts && ip && etcdCluster && machine.config) {
      hook.controlPlaneStarted({
        vmid: machine.vmid,
        cluster: facts.cluster.id,
        clusterName: facts.cluster.name,
        nodeName: machine.nodeName,
        ip,
        images: facts.images,
        etcdCluster,
        config: machine.config,
      });
    } else {
      hook.controlPlaneStopped(machine.vmid);
    }
  }
}

export const CONTROL_PLANE_TAINT = 'node-role.kubernetes.io/control-plane';

/** Control planes take no workloads unless the config says so. */
function nodeTaints(machine: Machine): Record<string, string> {
  const { facts } = machine;
  const own = facts?.type === 'controlplane' && !facts.scheduleOnControlPlanes;
  return { ...(own ? { [CONTROL_PLANE_TAINT]: ':NoSchedule' } : {}), ...facts?.taints };
}
