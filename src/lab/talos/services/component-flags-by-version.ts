/**
 * How flags and feature gates differ from those of v1.37 (component-flags.ts), by the minor version of Kubernetes. Flags:
 * `kubernetes/upgrade/checks.go` of siderolabs/go-kubernetes, the list that `talosctl upgrade-k8s` checks, and the
 * changelogs of 1.34 to 1.37. Gates, and flags that came: the names in the sources of v1.33.0 to v1.36.0.
 */
import type { Component } from './component-flags.js';

type Names = string;

/** Minor → flags that it no longer knows, by the type of their value. */
export const REMOVED_FLAGS: Readonly<
  Record<Component, Readonly<Record<number, Readonly<Record<string, Names>>>>>
> = {
  'kube-apiserver': { 33: { text: 'cloud-config cloud-provider' } },
  'kube-controller-manager': {
    31: {
      text: 'volume-host-cidr-denylist',
      bool: 'volume-host-allow-local-loopback',
      duration: 'horizontal-pod-autoscaler-upscale-delay horizontal-pod-autoscaler-downscale-delay',
    },
    37: { int: 'concurrent-service-syncs' },
  },
  'kube-scheduler': {},
  kubelet: {
    31: { bool: 'keep-terminated-pod-volumes', int: 'iptables-masquerade-bit iptables-drop-bit' },
    34: { text: 'cloud-config' },
    35: { text: 'pod-infra-container-image' },
    37: {
      bool: 'enable-load-reader log-cadvisor-usage storage-driver-secure',
      int: 'application-metrics-count-limit',
      duration: 'global-housekeeping-interval storage-driver-buffer-duration',
      text: `
        boot-id-file container-hints containerd containerd-namespace event-storage-age-limit
        event-storage-event-limit machine-id-file storage-driver-db storage-driver-host
        storage-driver-password storage-driver-table storage-driver-user
      `,
    },
  },
};

/** Minor → flags of component-flags.ts that it is the first to know. */
export const NEW_FLAGS: Readonly<Record<Component, Readonly<Record<number, Names>>>> = {
  'kube-apiserver': {
    34: `
      coordinated-leadership-lease-duration coordinated-leadership-renew-deadline
      coordinated-leadership-retry-period
    `,
    35: 'min-compatibility-version',
  },
  'kube-controller-manager': {
    35: 'concurrent-device-taint-eviction-syncs controller-shutdown-timeout min-compatibility-version',
    36: 'concurrent-node-status-updates concurrent-resourceclaim-syncs',
    37: 'concurrent-disruption-syncs concurrent-node-lifecycle-syncs',
  },
  'kube-scheduler': { 35: 'min-compatibility-version' },
  kubelet: { 35: 'min-compatibility-version' },
};

/** Minor → gates that it no longer knows. */
export const REMOVED_GATES: Readonly<Record<number, Names>> = {
  33: `
    AppArmor AppArmorFields CPUManager DisableCloudProviders DisableKubeletCloudCredentialProviders
    JobPodFailurePolicy KubeProxyDrainingTerminatingNodes PDBUnhealthyPodEvictionPolicy
    PersistentVolumeLastPhaseTransitionTime VolumeCapacityPriority
  `,
  34: `
    DevicePluginCDIDevices ElasticIndexedJob LegacySidecarContainers PodDisruptionConditions
    StatefulSetStartOrdinal
  `,
  35: `
    AllowServiceLBStatusOnNonLB ComponentSLIs CronJobsScheduledAnnotation LoadBalancerIPMode PodIndexLabel
    ProbeHostPodSecurityStandards SizeMemoryBackedVolumes StatefulSetAutoDeletePVC
    StrictCostEnforcementForVAP StrictCostEnforcementForWebhooks UserNamespacesPodSecurityStandards
  `,
  36: `
    CSIMigrationPortworx HonorPVReclaimPolicy InPlacePodVerticalScalingAllocatedStatus
    InTreePluginPortworxUnregister MemoryManager ServiceTrafficDistribution
    StructuredAuthorizationConfiguration TopologyAwareHints WatchFromStorageWithoutResourceVersion
  `,
  37: `
    APIServerTracing AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AuthorizeNodeWithSelectors
    AuthorizeWithSelectors BtreeWatchCache CRDObservedGenerationTracking CRDValidationRatcheting
    ConsistentListFromCache CustomResourceFieldSelectors GangScheduling JobBackoffLimitPerIndex
    JobPodReplacementPolicy JobSuccessPolicy LogarithmicScaleDown OrderedNamespaceDeletion
    PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PreventStaticPodAPIReferences
    RelaxedDNSSearchValidation ResilientWatchCacheInitialization RetryGenerateName SchedulerQueueingHints
    SidecarContainers StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf
    StructuredAuthenticationConfiguration WorkloadAwarePreemption
  `,
};

/** Minor → gates of component-flags.ts that it is the first to know. */
export const NEW_GATES: Readonly<Record<number, Names>> = {
  34: `
    ClearingNominatedNodeNameAfterBinding ContainerRestartRules DRAConsumableCapacity
    DRADeviceBindingConditions DRAExtendedResource DRASchedulerFilterTimeout DetectCacheInconsistency
    EnvFiles HostnameOverride InPlacePodVerticalScalingExclusiveMemory
    KubeletPodResourcesListUseActivePods MatchLabelKeysInPodTopologySpreadSelectorMerge
    NominatedNodeNameForExpectation PodCertificateRequest RelaxedServiceNameValidation
    SchedulerAsyncAPICalls SizeBasedListCostEstimate StructuredAuthenticationConfigurationEgressSelector
    TokenRequestServiceAccountUIDValidation
  `,
  35: `
    AuthorizePodWebsocketUpgradeCreatePermission CSIServiceAccountTokenSecrets
    CloudControllerManagerWatchBasedRoutesReconciliation ConstrainedImpersonation DRADeviceTaintRules
    GenericWorkload InOrderInformersBatchProcess InPlacePodLevelResourcesVerticalScaling
    MutablePVNodeAffinity MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs
    NodeDeclaredFeatures OpportunisticBatching RestartAllContainersOnContainerExits
    StructuredAuthenticationConfigurationJWKSMetrics TaintTolerationComparisonOperators
    UserNamespacesHostNetworkSupport VolumeLimitScaling
  `,
  36: `
    AllowServiceExternalIPs AtomicFIFO CRIListStreaming ChangeContainerStatusOnKubeletRestart
    ClientsAllowCARotation ClientsAllowTLSCacheGC ControllerManagerReleaseLeaderElectionLockOnExit
    DRAListTypeAttributes DRANodeAllocatableResources DRAResourceClaimGranularStatusAuthorization
    DRAResourcePoolStatus DRAWorkloadResourceClaims DeclarativeValidationBeta ExtendWebSocketsToKubelet
    ImageVolumeWithDigest InPlacePodVerticalScalingInitContainers ManifestBasedAdmissionControlConfig
    NativeHistograms PLEGOnDemandRelist PersistentVolumeClaimUnusedSinceTime PodLevelResourceManagers
    PodsAPI ResourceHealthStatusMessage ServiceCIDRStatusFieldWiping ShardedListAndWatch
    StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
    StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison
    TopologyAwareWorkloadScheduling UnlockWhileProcessingFIFO WorkloadWithJob
  `,
  37: `
    APIServerWebhookAuthenticationToken AtomicWriteVolumeUserFields CompositePodGroup
    ConsistentListFromCacheSkipTimeoutFallback DRADerivedAttributes DRADeviceCompatibilityGroups
    DRAFractionalCapacityRange DRAOptionalNodeOperations DRAPartitionableDevicesType DefaultPodSysctls
    EmptyDirVolumeMode EtcdRangeStream EvictionRequestAPI ExcludeAdmissionWebhookVirtualResources
    GRPCContainerProbeTLS H2CContainerProbe HPAGeneration HPAOptimizedSelectorStore HugepageAwareEviction
    InPlacePodVerticalScalingMemoryBackedVolumes InPlacePodVerticalScalingSchedulerPreemption
    InterPodAffinityHostnameFastPath KubeProxyIPVS KubeProxyNFTablesLocalhostNodePorts
    KubeletAllocatedPodsEndpoint NFTablesNetlink NodeControllerLeaseCircuitBreaker
    NodeLifecycleConditions PodGroupPreemptionPolicy PodLevelResourcesFixDefaulting
    PodLevelResourcesFixKubeletQOSClass SchedulerPreQueueingHints StaleControllerConsistencyHPA
    StatefulSetRecreateStrategy VolumeBindMountOptions WatchListCompression WebhookRoundTripLoadBalancing
  `,
};
