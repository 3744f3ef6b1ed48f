/**
 * API versions that Kubernetes stops serving, from 1.25 on: the lifecycle notes in the Go module `k8s.io/api` v0.37.0
 * (APILifecycleRemoved), and for the three that are no longer in it the deprecation guide of Kubernetes. Kinds that are
 * stored only: reviews and discovery leave nothing behind.
 */
export interface RemovedApi {
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly string[];
  /** Not served any more from this minor on. */
  readonly removedIn: number;
  /** Version of the same group to use instead; absent: the kind is gone. */
  readonly use?: string;
}

const FLOW = ['FlowSchema', 'PriorityLevelConfiguration'];
const DEVICES = ['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'];
const VALIDATING = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];
const MUTATING = ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'];

export const REMOVED_APIS: readonly RemovedApi[] = [
  { group: 'batch', version: 'v1beta1', kinds: ['CronJob'], removedIn: 25, use: 'v1' },
  { group: 'discovery.k8s.io', version: 'v1beta1', kinds: ['EndpointSlice'], removedIn: 25, use: 'v1' },
  { group: 'events.k8s.io', version: 'v1beta1', kinds: ['Event'], removedIn: 25, use: 'v1' },
  { group: 'autoscaling', version: 'v2beta1', kinds: ['HorizontalPodAutoscaler'], removedIn: 25, use: 'v2' },
  { group: 'policy', version: 'v1beta1', kinds: ['PodDisruptionBudget'], removedIn: 25, use: 'v1' },
  { group: 'policy', version: 'v1beta1', kinds: ['PodSecurityPolicy'], removedIn: 25 },
  { group: 'node.k8s.io', version: 'v1beta1', kinds: ['RuntimeClass'], removedIn: 25, use: 'v1' },
  { group: 'flowcontrol.apiserver.k8s.io', version: 'v1beta1', kinds: FLOW, removedIn: 26, use: 'v1' },
  { group: 'autoscaling', version: 'v2beta2', kinds: ['HorizontalPodAutoscaler'], removedIn: 26, use: 'v2' },
  { group: 'storage.k8s.io', version: 'v1beta1', kinds: ['CSIStorageCapacity'], removedIn: 27, use: 'v1' },
  { group: 'flowcontrol.apiserver.k8s.io', version: 'v1beta2', kinds: FLOW, removedIn: 29, use: 'v1' },
  { group: 'admissionregistration.k8s.io', version: 'v1alpha1', kinds: VALIDATING, removedIn: 32, use: 'v1' },
  { group: 'flowcontrol.apiserver.k8s.io', version: 'v1beta3', kinds: FLOW, removedIn: 32, use: 'v1' },
  { group: 'admissionregistration.k8s.io', version: 'v1beta1', kinds: VALIDATING, removedIn: 34, use: 'v1' },
  {
    group: 'storage.k8s.io',
    version: 'v1alpha1',
    kinds: ['VolumeAttributesClass'],
    removedIn: 35,
    use: 'v1',
  },
  {
    group: 'certificates.k8s.io',
    version: 'v1alpha1',
    kinds: ['ClusterTrustBundle'],
    removedIn: 37,
    use: 'v1',
  },
  {
    group: 'networking.k8s.io',
    version: 'v1beta1',
    kinds: ['IPAddress', 'ServiceCIDR'],
    removedIn: 37,
    use: 'v1',
  },
  { group: 'storage.k8s.io', version: 'v1beta1', kinds: ['VolumeAttributesClass'], removedIn: 37, use: 'v1' },
  { group: 'admissionregistration.k8s.io', version: 'v1alpha1', kinds: MUTATING, removedIn: 38, use: 'v1' },
  {
    group: 'coordination.k8s.io',
    version: 'v1alpha2',
    kinds: ['LeaseCandidate'],
    removedIn: 38,
    use: 'v1beta1',
  },
  { group: 'resource.k8s.io', version: 'v1beta1', kinds: DEVICES, removedIn: 38, use: 'v1' },
  { group: 'resource.k8s.io', version: 'v1alpha3', kinds: ['DeviceTaintRule'], removedIn: 39, use: 'v1' },
  { group: 'resource.k8s.io', version: 'v1beta2', kinds: DEVICES, removedIn: 39, use: 'v1' },
  { group: 'admissionregistration.k8s.io', version: 'v1beta1', kinds: MUTATING, removedIn: 40, use: 'v1' },
  {
    group: 'certificates.k8s.io',
    version: 'v1beta1',
    kinds: ['ClusterTrustBundle', 'PodCertificateRequest'],
    removedIn: 40,
    use: 'v1',
  },
  {
    group: 'storagemigration.k8s.io',
    version: 'v1beta1',
    kinds: ['StorageVersionMigration'],
    removedIn: 40,
    use: 'v1',
  },
];
