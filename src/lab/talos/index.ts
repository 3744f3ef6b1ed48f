export { KubernetesClusters } from './kubernetes/kubernetes-clusters.js';
export type { ControlPlane, Kubelet, KubernetesHook } from './kubernetes/kubernetes-hook.js';
export { type TalosPartOptions, talosPart } from './part.js';
export { type RecordingsTalos, startRecordingsTalos } from './recorded/recordings-profile.js';
export { TalosRoom, type TalosRoomOptions } from './room.js';
