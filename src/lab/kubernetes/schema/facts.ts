/**
 * What type declarations do not say about built-in types: how their lists and structs merge (the `x-kubernetes-*` marks
 * of kube-apiserver's OpenAPI document), what is written although it was not given, and fields newer than the declarations.
 */

/** `Type.field` → keys that tell the elements apart. Lists that are not here are atomic. */
export const KEYED_LISTS: Readonly<Record<string, readonly string[]>> = {
  'meta.ObjectMeta.ownerReferences': ['uid'],
  'core.PodSpec.containers': ['name'],
  'core.PodSpec.initContainers': ['name'],
  'core.PodSpec.ephemeralContainers': ['name'],
  'core.PodSpec.volumes': ['name'],
  'core.PodSpec.imagePullSecrets': ['name'],
  'core.PodSpec.hostAliases': ['ip'],
  'core.PodSpec.topologySpreadConstraints': ['topologyKey', 'whenUnsatisfiable'],
  'core.PodSpec.schedulingGates': ['name'],
  'core.PodSpec.resourceClaims': ['name'],
  'core.Container.env': ['name'],
  'core.Container.ports': ['containerPort', 'protocol'],
  'core.Container.volumeMounts': ['mountPath'],
  'core.Container.volumeDevices': ['devicePath'],
  'core.EphemeralContainer.env': ['name'],
  'core.EphemeralContainer.volumeMounts': ['mountPath'],
  'core.PodStatus.conditions': ['type'],
  'core.PodStatus.podIPs': ['ip'],
  'core.NodeStatus.conditions': ['type'],
  'core.NodeStatus.addresses': ['type'],
  'core.NamespaceStatus.conditions': ['type'],
  'core.PersistentVolumeClaimStatus.conditions': ['type'],
  'core.ServiceAccount.secrets': ['name'],
  'core.ServiceSpec.ports': ['port', 'protocol'],
  'core.ServiceStatus.conditions': ['type'],
  'apps.DeploymentStatus.conditions': ['type'],
  'apps.ReplicaSetStatus.conditions': ['type'],
  'apps.StatefulSetStatus.conditions': ['type'],
  'apps.DaemonSetStatus.conditions': ['type'],
  'policy.PodDisruptionBudgetStatus.conditions': ['type'],
  'storage.CSINodeSpec.drivers': ['name'],
  'apiextensions.CustomResourceDefinitionStatus.conditions': ['type'],
  'admissionregistration.ValidatingWebhookConfiguration.webhooks': ['name'],
  'admissionregistration.MutatingWebhookConfiguration.webhooks': ['name'],
};

/** Where a strategic merge patch uses another key than server-side apply. */
export const STRATEGIC_KEYS: Readonly<Record<string, string>> = {
  'core.Container.ports': 'containerPort',
  'core.ServiceSpec.ports': 'port',
  'core.PodSpec.topologySpreadConstraints': 'topologyKey',
  'batch.JobStatus.conditions': 'type',
};

/** Scalars without order: merged as sets. */
export const SET_LISTS: ReadonlySet<string> = new Set([
  'meta.ObjectMeta.finalizers',
  'core.NodeSpec.podCIDRs',
  'core.NamespaceSpec.finalizers',
  'storage.CSIDriverSpec.volumeLifecycleModes',
]);

/** Structs with one owner (`x-kubernetes-map-type: atomic`). */
export const ATOMIC_STRUCTS: ReadonlySet<string> = new Set([
  'meta.LabelSelector',
  'meta.OwnerReference',
  'core.ObjectReference',
  'core.LocalObjectReference',
  'core.SecretReference',
  'core.SecretKeySelector',
  'core.ConfigMapKeySelector',
  'core.ObjectFieldSelector',
  'core.ResourceFieldSelector',
  'core.NodeSelector',
  'core.NodeSelectorTerm',
  'core.TypedLocalObjectReference',
  'core.TopologySelectorTerm',
  'rbac.RoleRef',
  'rbac.Subject',
]);

/** Maps with one owner. */
export const ATOMIC_MAPS: ReadonlySet<string> = new Set([
  'core.PodSpec.nodeSelector',
  'core.ServiceSpec.selector',
]);

const SPEC_STATUS = { spec: {}, status: {} };

/** Fields without `omitempty`: there in every answer. */
export const ZERO_FIELDS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'core.Node': SPEC_STATUS,
  'core.Pod': SPEC_STATUS,
  'core.Namespace': SPEC_STATUS,
  'core.PersistentVolume': SPEC_STATUS,
  'core.PersistentVolumeClaim': SPEC_STATUS,
  'core.Service': SPEC_STATUS,
  'core.ServiceStatus': { loadBalancer: {} },
  'core.PersistentVolumeClaimSpec': { resources: {} },
  'core.Container': { resources: {} },
  'core.NodeStatus': { daemonEndpoints: {}, nodeInfo: {} },
  'core.NodeDaemonEndpoints': { kubeletEndpoint: {} },
  'core.DaemonEndpoint': { Port: 0 },
  'core.NodeSystemInfo': {
    machineID: '',
    systemUUID: '',
    bootID: '',
    kernelVersion: '',
    osImage: '',
    containerRuntimeVersion: '',
    kubeletVersion: '',
    kubeProxyVersion: '',
    operatingSystem: '',
    architecture: '',
  },
  'core.NodeCondition': { lastHeartbeatTime: null, lastTransitionTime: null },
  'core.PodCondition': { lastProbeTime: null, lastTransitionTime: null },
  'core.ContainerStatus': { state: {}, lastState: {}, ready: false, restartCount: 0, image: '', imageID: '' },
  'core.PodTemplateSpec': { metadata: {}, spec: {} },
  'core.Event': { involvedObject: {}, source: {}, firstTimestamp: null, lastTimestamp: null },
  'apps.Deployment': SPEC_STATUS,
  'apps.DeploymentSpec': { selector: null, template: {}, strategy: {} },
  'apps.ReplicaSet': SPEC_STATUS,
  'apps.ReplicaSetSpec': { selector: null, template: {} },
  'apps.ReplicaSetStatus': { replicas: 0 },
  'apps.StatefulSet': SPEC_STATUS,
  'apps.StatefulSetSpec': { selector: null, template: {}, serviceName: '', updateStrategy: {} },
  'apps.StatefulSetStatus': { replicas: 0, availableReplicas: 0 },
  'apps.DaemonSet': SPEC_STATUS,
  'apps.DaemonSetSpec': { selector: null, template: {}, updateStrategy: {} },
  'apps.DaemonSetStatus': {
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  },
  'batch.Job': SPEC_STATUS,
  'batch.JobSpec': { template: {} },
  'batch.CronJob': SPEC_STATUS,
  'batch.CronJobSpec': { jobTemplate: {} },
  'batch.JobTemplateSpec': { metadata: {}, spec: {} },
  'policy.PodDisruptionBudget': SPEC_STATUS,
  'policy.PodDisruptionBudgetStatus': {
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
  },
  'storage.VolumeAttachment': { spec: {}, status: {} },
  'storage.VolumeAttachmentSpec': { source: {} },
  'storage.VolumeAttachmentStatus': { attached: false },
  'storage.CSINodeSpec': { drivers: null },
  'coordination.Lease': { spec: {} },
  'networking.Ingress': SPEC_STATUS,
  'networking.IngressStatus': { loadBalancer: {} },
  'networking.NetworkPolicy': { spec: {} },
  'rbac.ClusterRole': { rules: null },
  'rbac.Role': { rules: null },
  'apiextensions.CustomResourceDefinition': SPEC_STATUS,
  'apiextensions.CustomResourceDefinitionStatus': {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: null,
  },
  'admissionregistration.ValidatingAdmissionPolicy': { status: {} },
};

/** Scalars whose zero value is the same as nothing; pointers keep what they were given. */
export const DROPPED_WHEN_ZERO: ReadonlySet<string> = new Set([
  'core.NodeSpec.unschedulable',
  'core.NodeSpec.providerID',
  'core.PodSpec.hostNetwork',
  'core.PodSpec.hostPID',
  'core.PodSpec.hostIPC',
  'core.PodSpec.nodeName',
  'core.PersistentVolumeSpec.storageClassName',
  'core.VolumeMount.readOnly',
  'core.EnvVar.value',
  'core.CSIPersistentVolumeSource.readOnly',
  'batch.CronJobSpec.suspend',
]);

/** Fields of v1.37 that the declarations do not have yet. */
export const NEWER_FIELDS: Readonly<Record<string, string>> = {
  'core.PodSpec': 'resources:core.ResourceRequirements hostnameOverride:s',
  'core.PodStatus': 'observedGeneration:n',
  'core.PodCondition': 'observedGeneration:n',
  'core.Volume': 'image:*',
  'core.Container': 'restartPolicyRules:*',
  'core.NodeStatus': 'runtimeHandlers:* features:*',
  'core.NodeSystemInfo': 'swap:*',
  'core.ContainerStatus': 'allocatedResourcesStatus:* user:* stopSignal:s',
  'core.ServiceSpec': 'trafficDistribution:s',
  'apps.DeploymentStatus': 'terminatingReplicas:n',
  'apps.ReplicaSetStatus': 'terminatingReplicas:n',
  'coordination.LeaseSpec': 'strategy:s preferredHolder:s',
  'storage.CSIDriverSpec':
    'nodeAllocatableUpdatePeriodSeconds:n serviceAccountTokenInSecrets:b preventPodSchedulingIfMissing:b',
  'apiextensions.CustomResourceDefinitionStatus': 'observedGeneration:n',
};
