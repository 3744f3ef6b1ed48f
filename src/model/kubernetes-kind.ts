/** Which Kubernetes a lab runs: its own API, or etcd and kube-apiserver of the PATH. */
export const KUBERNETES_KINDS = ['simulated', 'real'] as const;
export type KubernetesKind = (typeof KUBERNETES_KINDS)[number];
