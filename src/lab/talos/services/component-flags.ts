/**
 * Flags of the programs that Talos passes `extraArgs` to, by the type of their value, and the feature gates: names only,
 * read from the sources of Kubernetes v1.37.
 */
export type Component = 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kubelet';

export const COMPONENT_FLAGS: Readonly<Record<Component, Readonly<Record<string, string>>>> = {
  'kube-apiserver': {
    bool: `
      aggregator-reject-forwarding-redirect allow-privileged anonymous-auth
      audit-log-batch-throttle-enable audit-log-compress audit-log-truncate-enabled
      audit-webhook-batch-throttle-enable audit-webhook-truncate-enabled authentication-skip-lookup
      authentication-tolerate-lookup-failure contention-profiling disable-http2-serving
      emulation-forward-compatible enable-aggregator-routing enable-bootstrap-token-auth
      enable-garbage-collector enable-logs-handler enable-priority-and-fairness
      encryption-provider-config-automatic-reload log-json-split-stream log-text-split-stream
      permit-address-sharing permit-port-sharing profiling runtime-config-emulation-forward-compatible
      service-account-extend-token-expiration service-account-lookup shutdown-send-retry-after
      watch-cache
    `,
    int: `
      apiserver-count audit-log-batch-buffer-size audit-log-batch-max-size audit-log-batch-throttle-burst
      audit-log-maxage audit-log-maxbackup audit-log-maxsize audit-log-truncate-max-batch-size
      audit-log-truncate-max-event-size audit-webhook-batch-buffer-size audit-webhook-batch-max-size
      audit-webhook-batch-throttle-burst audit-webhook-truncate-max-batch-size
      audit-webhook-truncate-max-event-size default-watch-cache-size delete-collection-workers
      http2-max-streams-per-connection kubelet-port kubelet-read-only-port kubernetes-service-node-port
      lease-reuse-duration-seconds max-connection-bytes-per-sec max-mutating-requests-inflight
      max-requests-inflight min-request-timeout secure-port v
    `,
    float: `
      audit-log-batch-throttle-qps audit-webhook-batch-throttle-qps goaway-chance
    `,
    duration: `
      audit-log-batch-max-wait audit-webhook-batch-initial-backoff audit-webhook-batch-max-wait
      audit-webhook-initial-backoff authentication-token-webhook-cache-ttl
      authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl
      coordinated-leadership-lease-duration coordinated-leadership-renew-deadline
      coordinated-leadership-retry-period etcd-compaction-interval etcd-count-metric-poll-period
      etcd-db-metric-poll-interval etcd-healthcheck-timeout etcd-readycheck-timeout event-ttl
      kubelet-timeout livez-grace-period log-flush-frequency request-timeout
      service-account-max-token-expiration shutdown-delay-duration
      shutdown-watch-termination-grace-period storage-initialization-timeout
    `,
    ip: `
      advertise-address bind-address
    `,
    text: `
      admission-control admission-control-config-file allow-metric-labels allow-metric-labels-manifest
      api-audiences audit-log-format audit-log-mode audit-log-path audit-log-version audit-policy-file
      audit-webhook-config-file audit-webhook-mode audit-webhook-version authentication-config
      authentication-kubeconfig authentication-token-webhook-config-file
      authentication-token-webhook-version authorization-always-allow-paths authorization-config
      authorization-kubeconfig authorization-mode authorization-policy-file
      authorization-webhook-config-file authorization-webhook-version cert-dir client-ca-file
      cors-allowed-origins disable-admission-plugins disabled-metrics
      egress-selector-config-file emulated-version enable-admission-plugins encryption-provider-config
      endpoint-reconciler-type etcd-cafile etcd-certfile etcd-keyfile etcd-prefix etcd-servers
      etcd-servers-overrides external-hostname feature-gates kubeconfig kubelet-certificate-authority
      kubelet-client-certificate kubelet-client-key kubelet-preferred-address-types
      log-json-info-buffer-size log-text-info-buffer-size logging-format min-compatibility-version
      oidc-ca-file oidc-client-id oidc-groups-claim oidc-groups-prefix oidc-issuer-url
      oidc-required-claim oidc-signing-algs oidc-username-claim oidc-username-prefix peer-advertise-ip
      peer-advertise-port peer-ca-file proxy-client-cert-file proxy-client-key-file
      requestheader-allowed-names requestheader-client-ca-file requestheader-extra-headers-prefix
      requestheader-group-headers requestheader-uid-headers requestheader-username-headers runtime-config
      service-account-issuer service-account-jwks-uri service-account-key-file
      service-account-signing-endpoint service-account-signing-key-file service-cluster-ip-range
      service-node-port-range show-hidden-metrics-for-version storage-backend storage-media-type
      strict-transport-security-directives tls-cert-file tls-cipher-suites tls-min-version
      tls-private-key-file tls-sni-cert-key token-auth-file tracing-config-file version vmodule
      watch-cache-sizes
    `,
  },
  'kube-controller-manager': {
    bool: `
      allocate-node-cidrs allow-untagged-cloud authentication-skip-lookup
      authentication-tolerate-lookup-failure configure-cloud-routes contention-profiling
      disable-attach-detach-reconcile-sync disable-force-detach-on-timeout disable-http2-serving
      enable-dynamic-provisioning enable-garbage-collector enable-hostpath-provisioner leader-elect
      log-json-split-stream log-text-split-stream permit-address-sharing permit-port-sharing profiling
      use-service-account-credentials webhook-disable-http2-serving
    `,
    int: `
      concurrent-cron-job-syncs concurrent-daemonset-syncs concurrent-deployment-syncs
      concurrent-device-taint-eviction-syncs concurrent-disruption-syncs concurrent-endpoint-syncs
      concurrent-ephemeralvolume-syncs concurrent-gc-syncs concurrent-horizontal-pod-autoscaler-syncs
      concurrent-job-syncs concurrent-namespace-syncs concurrent-node-lifecycle-syncs
      concurrent-node-status-updates concurrent-node-syncs concurrent-replicaset-syncs
      concurrent-resource-quota-syncs concurrent-resourceclaim-syncs concurrent-service-endpoint-syncs
      concurrent-serviceaccount-token-syncs concurrent-statefulset-syncs
      concurrent-ttl-after-finished-syncs concurrent-validating-admission-policy-status-syncs
      http2-max-streams-per-connection kube-api-burst large-cluster-size-threshold
      max-endpoints-per-slice mirroring-concurrent-service-endpoint-syncs
      mirroring-max-endpoints-per-subset node-cidr-mask-size node-cidr-mask-size-ipv4
      node-cidr-mask-size-ipv6 pv-recycler-increment-timeout-nfs pv-recycler-minimum-timeout-hostpath
      pv-recycler-minimum-timeout-nfs pv-recycler-timeout-increment-hostpath secure-port
      terminated-pod-gc-threshold v webhook-secure-port
    `,
    float: `
      horizontal-pod-autoscaler-tolerance kube-api-qps node-eviction-rate secondary-node-eviction-rate
      unhealthy-zone-threshold
    `,
    duration: `
      attach-detach-reconcile-sync-period authentication-token-webhook-cache-ttl
      authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl
      cluster-signing-duration controller-shutdown-timeout controller-start-interval
      endpoint-updates-batch-period endpointslice-updates-batch-period
      horizontal-pod-autoscaler-cpu-initialization-period
      horizontal-pod-autoscaler-downscale-stabilization horizontal-pod-autoscaler-initial-readiness-delay
      horizontal-pod-autoscaler-sync-period leader-elect-lease-duration leader-elect-renew-deadline
      leader-elect-retry-period legacy-service-account-token-clean-up-period log-flush-frequency
      min-resync-period mirroring-endpointslice-updates-batch-period namespace-sync-period
      node-monitor-grace-period node-monitor-period node-startup-grace-period
      node-status-update-frequency node-sync-period pvclaimbinder-sync-period resource-quota-sync-period
      route-reconciliation-period
    `,
    ip: `
      bind-address webhook-bind-address
    `,
    text: `
      allow-metric-labels allow-metric-labels-manifest authentication-kubeconfig
      authorization-always-allow-paths authorization-kubeconfig cert-dir cidr-allocator-type
      client-ca-file cloud-config cloud-provider cluster-cidr cluster-name cluster-signing-cert-file
      cluster-signing-key-file cluster-signing-kube-apiserver-client-cert-file
      cluster-signing-kube-apiserver-client-key-file cluster-signing-kubelet-client-cert-file
      cluster-signing-kubelet-client-key-file cluster-signing-kubelet-serving-cert-file
      cluster-signing-kubelet-serving-key-file cluster-signing-legacy-unknown-cert-file
      cluster-signing-legacy-unknown-key-file controllers disabled-metrics emulated-version
      external-cloud-volume-plugin feature-gates flex-volume-plugin-dir kube-api-content-type kubeconfig
      leader-elect-resource-lock leader-elect-resource-name leader-elect-resource-namespace
      log-json-info-buffer-size log-text-info-buffer-size logging-format master min-compatibility-version
      pv-recycler-pod-template-filepath-hostpath pv-recycler-pod-template-filepath-nfs
      requestheader-allowed-names requestheader-client-ca-file requestheader-extra-headers-prefix
      requestheader-group-headers requestheader-uid-headers requestheader-username-headers root-ca-file
      service-account-private-key-file service-cluster-ip-range show-hidden-metrics-for-version
      tls-cert-file tls-cipher-suites tls-min-version tls-private-key-file tls-sni-cert-key version
      vmodule webhook-cert-dir webhook-tls-cert-file webhook-tls-cipher-suites webhook-tls-min-version
      webhook-tls-private-key-file webhook-tls-sni-cert-key webhooks
    `,
  },
  'kube-scheduler': {
    bool: `
      authentication-skip-lookup authentication-tolerate-lookup-failure contention-profiling
      disable-http2-serving leader-elect log-json-split-stream log-text-split-stream
      permit-address-sharing permit-port-sharing profiling
    `,
    int: `
      http2-max-streams-per-connection kube-api-burst secure-port v
    `,
    float: `
      kube-api-qps
    `,
    duration: `
      authentication-token-webhook-cache-ttl authorization-webhook-cache-authorized-ttl
      authorization-webhook-cache-unauthorized-ttl leader-elect-lease-duration
      leader-elect-renew-deadline leader-elect-retry-period log-flush-frequency
      pod-max-in-unschedulable-pods-duration
    `,
    ip: `
      bind-address
    `,
    text: `
      allow-metric-labels allow-metric-labels-manifest authentication-kubeconfig
      authorization-always-allow-paths authorization-kubeconfig cert-dir client-ca-file config
      disabled-metrics emulated-version feature-gates kube-api-content-type kubeconfig
      leader-elect-resource-lock leader-elect-resource-name leader-elect-resource-namespace
      log-json-info-buffer-size log-text-info-buffer-size logging-format master min-compatibility-version
      requestheader-allowed-names requestheader-client-ca-file requestheader-extra-headers-prefix
      requestheader-group-headers requestheader-uid-headers requestheader-username-headers
      show-hidden-metrics-for-version tls-cert-file tls-cipher-suites tls-min-version
      tls-private-key-file tls-sni-cert-key version vmodule write-config-to
    `,
  },
  kubelet: {
    bool: `
      anonymous-auth authentication-token-webhook cgroups-per-qos contention-profiling cpu-cfs-quota
      enable-controller-attach-detach enable-debugging-handlers enable-server exit-on-lock-contention
      experimental-allocatable-ignore-eviction fail-cgroupv1 fail-swap-on kernel-memcg-notification
      local-storage-capacity-isolation log-json-split-stream log-text-split-stream
      make-iptables-util-chains protect-kernel-defaults register-node rotate-certificates
      rotate-server-certificates runonce seccomp-default serialize-image-pulls
    `,
    int: `
      container-log-max-files event-burst event-qps eviction-max-pod-grace-period healthz-port
      image-gc-high-threshold image-gc-low-threshold kube-api-burst kube-api-qps max-open-files max-pods
      maximum-dead-containers maximum-dead-containers-per-container node-status-max-images oom-score-adj
      pod-max-pids pods-per-core port read-only-port registry-burst registry-qps v
    `,
    duration: `
      authentication-token-webhook-cache-ttl authorization-webhook-cache-authorized-ttl
      authorization-webhook-cache-unauthorized-ttl cpu-cfs-quota-period cpu-manager-reconcile-period
      eviction-pressure-transition-period file-check-frequency http-check-frequency log-flush-frequency
      minimum-container-ttl-duration minimum-image-ttl-duration node-status-update-frequency
      runtime-request-timeout streaming-connection-idle-timeout sync-frequency volume-stats-agg-period
    `,
    text: `
      address allow-metric-labels allow-metric-labels-manifest allowed-unsafe-sysctls authorization-mode
      bootstrap-kubeconfig cert-dir cgroup-driver cgroup-root client-ca-file cloud-provider cluster-dns
      cluster-domain config config-dir container-log-max-size container-runtime-endpoint
      cpu-manager-policy cpu-manager-policy-options disabled-metrics emulated-version
      enforce-node-allocatable eviction-hard eviction-minimum-reclaim eviction-soft
      eviction-soft-grace-period experimental-mounter-path feature-gates hairpin-mode
      healthz-bind-address hostname-override image-credential-provider-bin-dir
      image-credential-provider-config image-service-endpoint kube-api-content-type kube-reserved
      kube-reserved-cgroup kubeconfig kubelet-cgroups lock-file log-json-info-buffer-size
      log-text-info-buffer-size logging-format manifest-url manifest-url-header memory-manager-policy
      min-compatibility-version node-ip node-labels pod-cidr pod-manifest-path provider-id qos-reserved
      register-with-taints reserved-cpus reserved-memory resolv-conf root-dir runtime-cgroups
      show-hidden-metrics-for-version system-cgroups system-reserved system-reserved-cgroup tls-cert-file
      tls-cipher-suites tls-min-version tls-private-key-file topology-manager-policy
      topology-manager-policy-options topology-manager-scope version vmodule volume-plugin-dir
    `,
  },
};

export const FEATURE_GATES = `
  APIResponseCompression APIServerIdentity APIServerWebhookAuthenticationToken APIServingWithRoutine
  AggregatedDiscoveryRemoveBetaType AllAlpha AllBeta AllowDNSOnlyNodeCSR
  AllowInsecureKubeletCertificateSigningRequests AllowOverwriteTerminationGracePeriodSeconds
  AllowParsingUserUIDFromCertAuth AllowServiceExternalIPs AllowUnsafeMalformedObjectDeletion AtomicFIFO
  AtomicWriteVolumeUserFields AuthorizePodWebsocketUpgradeCreatePermission CBORServingAndStorage
  CPUManagerPolicyAlphaOptions CPUManagerPolicyBetaOptions CPUManagerPolicyOptions CRIListStreaming
  CSIServiceAccountTokenSecrets CSIVolumeHealth ChangeContainerStatusOnKubeletRestart
  ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation ClientsAllowCBOR ClientsAllowTLSCacheGC
  ClientsPreferCBOR CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook
  ClusterTrustBundle ClusterTrustBundleProjection ComponentFlagz ComponentStatusz CompositePodGroup
  ConcurrentWatchObjectDecode ConsistentListFromCacheSkipTimeoutFallback ConstrainedImpersonation
  ContainerCheckpoint ContainerRestartRules ContainerStopSignals ContextualLogging
  ControllerManagerReleaseLeaderElectionLockOnExit CoordinatedLeaderElection
  CrossNamespaceVolumeDataSource CustomCPUCFSQuotaPeriod DRAAdminAccess DRAConsumableCapacity
  DRADerivedAttributes DRADeviceBindingConditions DRADeviceCompatibilityGroups DRADeviceTaintRules
  DRADeviceTaints DRAExtendedResource DRAFractionalCapacityRange DRAListTypeAttributes
  DRANodeAllocatableResources DRAOptionalNodeOperations DRAPartitionableDevices
  DRAPartitionableDevicesType DRAPrioritizedList DRAResourceClaimDeviceStatus
  DRAResourceClaimGranularStatusAuthorization DRAResourcePoolStatus DRASchedulerFilterTimeout
  DRAWorkloadResourceClaims DeclarativeValidation DeclarativeValidationBeta DeclarativeValidationTakeover
  DefaultPodSysctls DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency
  DisableAllocatorDualWrite DisableCPUQuotaWithExclusiveCPUs DisableNodeKubeProxyVersion
  DynamicResourceAllocation EmptyDirVolumeMode EnvFiles EtcdRangeStream EventedPLEG EvictionRequestAPI
  ExcludeAdmissionWebhookVirtualResources ExecProbeTimeout ExtendWebSocketsToKubelet
  ExternalServiceAccountTokenSigner GRPCContainerProbeTLS GenericWorkload GitRepoVolumeDriver
  GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority H2CContainerProbe HPAConfigurableTolerance
  HPAGeneration HPAOptimizedSelectorStore HPAScaleToZero HostnameOverride HugepageAwareEviction
  ImageMaximumGCAge ImageVolume ImageVolumeWithDigest InOrderInformers InOrderInformersBatchProcess
  InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScaling
  InPlacePodVerticalScalingExclusiveCPUs InPlacePodVerticalScalingExclusiveMemory
  InPlacePodVerticalScalingInitContainers InPlacePodVerticalScalingMemoryBackedVolumes
  InPlacePodVerticalScalingSchedulerPreemption InformerResourceVersion InterPodAffinityHostnameFastPath
  JobManagedBy KMSv1 KubeProxyIPVS KubeProxyNFTablesLocalhostNodePorts KubeletAllocatedPodsEndpoint
  KubeletCgroupDriverFromCRI KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages
  KubeletFineGrainedAuthz KubeletInUserNamespace KubeletPSI KubeletPodResourcesDynamicResources
  KubeletPodResourcesGet KubeletPodResourcesListUseActivePods KubeletRegistrationGetOnExistsOnly
  KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders KubeletTracing
  ListFromCacheSnapshot LocalStorageCapacityIsolationFSQuotaMonitoring LoggingAlphaOptions
  LoggingBetaOptions LoggingStableOptions ManifestBasedAdmissionControlConfig MatchLabelKeysInPodAffinity
  MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge
  MaxUnavailableStatefulSet MemoryQoS MultiCIDRServiceAllocator MutableCSINodeAllocatableCount
  MutablePVNodeAffinity MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs
  MutatingAdmissionPolicy MyFeature NFTablesNetlink NFTablesProxyMode NativeHistograms
  NodeControllerLeaseCircuitBreaker NodeDeclaredFeatures NodeInclusionPolicyInPodTopologySpread
  NodeLifecycleConditions NodeLogQuery NodeSwap NominatedNodeNameForExpectation OpenAPIEnums
  OpportunisticBatching PLEGOnDemandRelist PersistentVolumeClaimUnusedSinceTime
  PodAndContainerStatsFromCRI PodCertificateRequest PodDeletionCost PodGroupPreemptionPolicy
  PodLevelResourceManagers PodLevelResources PodLevelResourcesFixDefaulting
  PodLevelResourcesFixKubeletQOSClass PodLogsQuerySplitStreams PodObservedGenerationTracking
  PodReadyToStartContainersCondition PodSchedulingReadiness PodTopologyLabelsAdmission PodsAPI
  PortForwardWebsockets PreferSameTrafficDistribution ProcMountType QOSReserved
  RecoverVolumeExpansionFailure RecursiveReadOnlyMounts ReduceDefaultCrashLoopBackOffDecay
  RelaxedEnvironmentVariableValidation RelaxedServiceNameValidation ReloadKubeletServerCertificateFile
  RemoteRequestHeaderUID ResourceHealthStatus ResourceHealthStatusMessage
  RestartAllContainersOnContainerExits RotateKubeletServerCertificate RuntimeClassInImageCriApi
  SELinuxChangePolicy SELinuxMount SELinuxMountReadWriteOncePod SchedulerAsyncAPICalls
  SchedulerAsyncPreemption SchedulerPopFromBackoffQ SchedulerPreQueueingHints SeparateCacheWatchRPC
  SeparateTaintEvictionController ServiceAccountNodeAudienceRestriction ServiceAccountTokenJTI
  ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo
  ServiceCIDRStatusFieldWiping ShardedListAndWatch SizeBasedListCostEstimate
  StaleControllerConsistencyDaemonSet StaleControllerConsistencyHPA StaleControllerConsistencyJob
  StaleControllerConsistencyReplicaSet StaleControllerConsistencyStatefulSet StatefulSetRecreateStrategy
  StatefulSetSemanticRevisionComparison StorageCapacityScoring StorageNamespaceIndex StorageVersionAPI
  StorageVersionHash StorageVersionMigrator StrictIPCIDRValidation
  StructuredAuthenticationConfigurationEgressSelector StructuredAuthenticationConfigurationJWKSMetrics
  SupplementalGroupsPolicy TaintTolerationComparisonOperators TokenRequestServiceAccountUIDValidation
  TopologyAwareWorkloadScheduling TopologyManagerPolicyAlphaOptions TopologyManagerPolicyBetaOptions
  TopologyManagerPolicyOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation
  UnknownVersionInteroperabilityProxy UnlockWhileProcessingFIFO UserNamespacesHostNetworkSupport
  UserNamespacesSupport VolumeAttributesClass VolumeBindMountOptions VolumeLimitScaling
  WatchCacheInitializationPostStartHook WatchList WatchListClient WatchListCompression
  WebhookRoundTripLoadBalancing WinDSR WinOverlay WindowsCPUAndMemoryAffinity WindowsGracefulNodeShutdown
  WindowsHostNetwork WorkloadWithJob
`;
