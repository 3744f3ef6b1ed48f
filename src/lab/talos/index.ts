export { KubernetesClusters } from './kubernetes-clusters.js';
export type { ControlPlane, Kubelet, KubernetesHook } from './kubernetes-hook.js';
export { type TalosPartOptions, talosPart } from './part.js';
export { type RecordingsTalos, startRecordingsTalos } from './recordings-profile.js';
export { TalosRoom, type TalosRoomOptions } from './room.js';
