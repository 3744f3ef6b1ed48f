/**
 * The kinds of resources of Talos v1.14 and its namespaces, as its own code registers them.
 *
 * A line: `!` for a kind that only admins read, `-` for one without automatic aliases, the type, its namespace, the name it is shown by, aliases of its own; then the
 * columns of a table, each with its JSON path.
 */
export const KIND_TABLE = `
AcquireConfigSpecs.v1alpha1.talos.dev runtime AcquireConfigSpec
AcquireConfigStatuses.v1alpha1.talos.dev runtime AcquireConfigStatus
AddressSpecs.net.talos.dev network AddressSpec
AddressStatuses.net.talos.dev network AddressStatus address,addresses | Address {.address} | Link {.linkName}
AdjtimeStatuses.v1alpha1.talos.dev runtime AdjtimeStatus | Offset {.offset} | EstError {.estError} | MaxError {.maxError} | Status {.status} | Sync {.syncStatus}
AdmissionControlConfigs.kubernetes.talos.dev controlplane AdmissionControlConfig
Affiliates.cluster.talos.dev cluster Affiliate | Hostname {.hostname} | Machine Type {.machineType} | Addresses {.addresses}
!ApiCertificates.secrets.talos.dev secrets ApiCertificate
!APIServerConfigs.kubernetes.talos.dev controlplane APIServerConfig
APIServiceConfigs.runtime.talos.dev runtime APIServiceConfig
!AuditPolicyConfigs.kubernetes.talos.dev controlplane AuditPolicyConfig
!AuthenticationConfigs.kubernetes.talos.dev controlplane AuthenticationConfig
!AuthorizationConfigs.kubernetes.talos.dev controlplane AuthorizationConfig
BaseRuntimeSpecConfigs.cri.talos.dev cri BaseRuntimeSpecConfig
BGPInstanceConfigs.net.talos.dev network BGPInstanceConfig | Local ASN {.localASN} | Router ID {.routerID} | VRF {.vrf} | Neighbors {.neighbors}
BGPPeerStatuses.net.talos.dev network BGPPeerStatus | Instance {.instance} | Peer {.peer} | Peer AS {.peerASN} | State {.state} | Since {.since} | Received {.received}
BlockDevices.block.talos.dev runtime BlockDevice | Type {.type} | PartitionName {.partitionName} | Generation {.generation}
BlockSymlinks.block.talos.dev runtime BlockSymlink
BootedEntries.talos.dev runtime BootedEntry | Booted Entry {.bootedEntry}
BootIDs.runtime.talos.dev runtime BootID | Boot ID {.bootID}
BootstrapManifestsConfigs.kubernetes.talos.dev controlplane BootstrapManifestsConfig
!CertSANs.secrets.talos.dev secrets CertSAN
ConfigStatuses.kubernetes.talos.dev controlplane ConfigStatus | Ready {.ready} | Secrets Version {.version}
ContainerImageStatuses.containers.talos.dev containers ContainerImageStatus containerimagestatus,containerimagestatuses | Phase {.phase} | Digest {.digest}
ContainerInstanceSpecs.containers.talos.dev containers ContainerInstanceSpec containerinstancespec,containerinstancespecs | Container {.containerID} | Generation {.generation} | Image {.image}
ContainerInstanceStatuses.containers.talos.dev containers ContainerInstanceStatus containerinstancestatus,containerinstancestatuses | Container {.containerID} | Phase {.phase} | PID {.pid} | Exit Code {.exitCode}
ContainerLifecycles.containers.talos.dev containers ContainerLifecycle containerlifecycle,containerlifecycles
ContainerMountStatuses.containers.talos.dev containers ContainerMountStatus containermountstatus,containermountstatuses | Ready {.ready} | Error {.error}
ContainerSpecs.containers.talos.dev containers ContainerSpec containerspec,containerspecs | Image {.image.ref}
ControllerManagerConfigs.kubernetes.talos.dev controlplane ControllerManagerConfig
CPUCores.hardware.talos.dev hardware CPUCore cpucore,cpucores | Socket {.socket} | Core {.coreID} | Model {.modelName} | Logical CPUs {.logicalCPUs}
CPUStats.perf.talos.dev perf CPUStat | User {.cpuTotal.user} | System {.cpuTotal.system}
!CustomizationConfigs.cri.talos.dev cri CustomizationConfig
!DeviceConfigSpecs.net.talos.dev network DeviceConfigSpec
DevicesStatuses.runtime.talos.dev runtime DevicesStatus | Ready {.ready}
Diagnostics.runtime.talos.dev runtime Diagnostic | Message {.message}
DiscoveredVolumes.block.talos.dev runtime DiscoveredVolume | Type {.type} | Size {.pretty_size} | Discovered {.name} | Label {.label} | PartitionLabel {.partition_label}
!DiscoveryConfigs.cluster.talos.dev config DiscoveryConfig
DiscoveryRefreshRequests.block.talos.dev runtime DiscoveryRefreshRequest | Request {.request}
DiscoveryRefreshStatuses.block.talos.dev runtime DiscoveryRefreshStatus | Request {.request}
Disks.block.talos.dev runtime Disk | Size {.pretty_size} | Read Only {.readonly} | Transport {.transport} | Rotational {.rotational} | WWID {.wwid} | Model {.model} | Serial {.serial}
DNSResolveCaches.net.talos.dev network DNSResolveCach | Status {.status}
DNSUpstreams.net.talos.dev network DNSUpstream | Healthy {.healthy} | Address {.addr}
!EncryptionSalts.secrets.talos.dev secrets EncryptionSalt
Endpoints.kubernetes.talos.dev controlplane Endpoint | Addresses {.addresses} | Hosts {.hosts}
Environments.runtime.talos.dev runtime Environment env | Variables {.variables}
EtcdConfigs.etcd.talos.dev etcd EtcdConfig | Image {.image}
!EtcdEncryptionConfigs.kubernetes.talos.dev k8s EtcdEncryptionConfig
EtcdMembers.etcd.talos.dev etcd EtcdMember | Member ID {.memberID}
!EtcdRootSecrets.secrets.talos.dev secrets EtcdRootSecret
!EtcdSecrets.secrets.talos.dev secrets EtcdSecret
EtcdSpecs.etcd.talos.dev etcd EtcdSpec | Name {.name} | AdvertisedAddresses {.advertisedAddresses} | ListenPeerAddresses {.listenPeerAddresses} | ListenClientAddresses {.listenClientAddresses}
!EtcFileSpecs.files.talos.dev files EtcFileSpec
EtcFileStatuses.files.talos.dev files EtcFileStatus
EthernetSpecs.net.talos.dev network EthernetSpec
EthernetStatuses.net.talos.dev network EthernetStatus ethtool | Link {.linkState} | Speed {.speedMbit}
EventSinkConfigs.runtime.talos.dev runtime EventSinkConfig
!ExtensionServiceConfigs.runtime.talos.dev runtime ExtensionServiceConfig
ExtensionServiceConfigStatuses.runtime.talos.dev runtime ExtensionServiceConfigStatus
ExtensionStatuses.runtime.talos.dev runtime ExtensionStatus extensions | Name {.metadata.name} | Version {.metadata.version}
ExtraManifestsConfigs.kubernetes.talos.dev controlplane ExtraManifestsConfig
FSScrubSchedules.block.talos.dev runtime FSScrubSchedule | Filesystem {.filesystem} | Interval {.interval} | Next Scrub {.nextScrub}
FSScrubStatuses.block.talos.dev runtime FSScrubStatus | Mountpoint {.mountpoint} | Interval {.interval} | Latest start time {.time} | Latest run duration {.duration} | Latest status {.status}
HardwareAddresses.net.talos.dev network HardwareAddress
HostDNSConfigs.net.talos.dev network HostDNSConfig | Enabled {.enabled}
HostnameSpecs.net.talos.dev network HostnameSpec
HostnameStatuses.net.talos.dev network HostnameStatus hostname | Hostname {.hostname} | Domainname {.domainname}
Identities.cluster.talos.dev cluster Identity | ID {.nodeId}
ImageCacheConfigs.cri.talos.dev cri ImageCacheConfig | Status {.status} | CopyStatus {.copyStatus} | Roots {.roots}
ImageFactorySchematics.runtime.talos.dev runtime ImageFactorySchematic | Schematic ID {.schematicId} | Flavor {.flavor} | API URL {.apiUrl}
ImageVerificationRules.security.talos.dev security ImageVerificationRule | Pattern {.imagePattern} | Skip {.skip} | Deny {.deny}
Infos.cluster.talos.dev cluster Info | Cluster ID {.clusterId} | Cluster Name {.clusterName}
KernelCmdlines.runtime.talos.dev runtime KernelCmdline cmdline | Cmdline {.cmdline}
KernelModuleSpecs.runtime.talos.dev runtime KernelModuleSpec
KernelModuleStatuses.runtime.talos.dev runtime KernelModuleStatus module,modules | Type {.type} | State {.state}
KernelParamDefaultSpecs.runtime.talos.dev runtime KernelParamDefaultSpec
KernelParamSpecs.runtime.talos.dev runtime KernelParamSpec
KernelParamStatuses.runtime.talos.dev runtime KernelParamStatus sysctls,kernelparameters,kernelparams | Current {.current} | Default {.default} | Unsupported {.unsupported}
KmsgLogConfigs.runtime.talos.dev runtime KmsgLogConfig
!KubeletConfigs.kubernetes.talos.dev k8s KubeletConfig
KubeletKubeconfigs.kubernetes.talos.dev k8s KubeletKubeconfig | Hash {.hash}
KubeletLifecycles.kubernetes.talos.dev k8s KubeletLifecycle
!KubeletSecrets.secrets.talos.dev secrets KubeletSecret
!KubeletSpecs.kubernetes.talos.dev k8s KubeletSpec
KubeletStatuses.kubernetes.talos.dev k8s KubeletStatus | Image {.image}
KubePrismConfigs.kubernetes.talos.dev k8s KubePrismConfig | Host {.host} | Port {.port} | Endpoints {.endpoints}
KubePrismEndpoints.kubernetes.talos.dev k8s KubePrismEndpoint | Hosts {.endpoints[*].host} | Ports {.endpoints[*].port}
KubePrismStatuses.kubernetes.talos.dev k8s KubePrismStatus | HOST {.host} | HEALTHY {.healthy}
KubernetesAccessConfigs.cluster.talos.dev config KubernetesAccessConfig
!KubernetesDynamicCerts.secrets.talos.dev secrets KubernetesDynamicCert
!KubernetesRootSecrets.secrets.talos.dev secrets KubernetesRootSecret
!KubernetesSecrets.secrets.talos.dev secrets KubernetesSecret
!KubeSpanConfigs.kubespan.talos.dev config KubeSpanConfig
KubeSpanEndpoints.kubespan.talos.dev kubespan KubeSpanEndpoint | Endpoint {.endpoint} | Affiliate ID {.affiliateID}
!KubeSpanIdentities.kubespan.talos.dev kubespan KubeSpanIdentity | Address {.address} | PublicKey {.publicKey}
KubeSpanPeerSpecs.kubespan.talos.dev kubespan KubeSpanPeerSpec | Label {.label} | Endpoints {.endpoints}
KubeSpanPeerStatuses.kubespan.talos.dev kubespan KubeSpanPeerStatus | Label {.label} | Endpoint {.endpoint} | State {.state} | Rx {.receiveBytes} | Tx {.transmitBytes}
LinkAliasSpecs.net.talos.dev network LinkAliasSpec | Alias {.alias}
LinkRefreshes.net.talos.dev network LinkRefresh
!LinkSpecs.net.talos.dev network LinkSpec
LinkStatuses.net.talos.dev network LinkStatus link,links | Alias {.alias} | Type {.type} | Kind {.kind} | Hw Addr {.hardwareAddr} | Oper State {.operationalState} | Link State {.linkState}
LoadedKernelModules.runtime.talos.dev runtime LoadedKernelModule | State {.state}
LVMLogicalVolumeSpecs.storage.talos.dev storage LVMLogicalVolumeSpec | VG {.vgName} | Name {.name} | Type {.type}
LVMLogicalVolumeStatuses.storage.talos.dev storage LVMLogicalVolumeStatus lvs | Path {.path} | VG {.vgName} | Layout {.layout} | Size {.prettySize} | Active {.active}
LVMPhysicalVolumeSpecs.storage.talos.dev storage LVMPhysicalVolumeSpec | Device {.device} | VG {.vgName}
LVMPhysicalVolumeStatuses.storage.talos.dev storage LVMPhysicalVolumeStatus pvs | Device {.device} | VG {.vgName} | Size {.prettySize} | Free {.prettyFree} | Allocatable {.allocatable}
LVMRefreshRequests.storage.talos.dev storage LVMRefreshRequest | Request {.request}
LVMValidationErrors.storage.talos.dev storage LVMValidationError | VG {.vgName} | Message {.message}
LVMVolumeGroupSpecs.storage.talos.dev storage LVMVolumeGroupSpec | Name {.name}
LVMVolumeGroupStatuses.storage.talos.dev storage LVMVolumeGroupStatus vgs | Name {.name} | Permissions {.permissions} | Size {.prettySize} | Free {.prettyFree} | PVs {.pvCount} | LVs {.lvCount}
!MachineConfigs.config.talos.dev config MachineConfig
MachineResetSignals.runtime.talos.dev runtime MachineResetSignal
MachineStatuses.runtime.talos.dev runtime MachineStatus | Stage {.stage} | Ready {.status.ready}
MachineTypes.config.talos.dev config MachineType | Type {@}
!MaintenanceRootSecrets.secrets.talos.dev secrets MaintenanceRootSecret
MaintenanceServiceConfigs.runtime.talos.dev runtime MaintenanceServiceConfig
MaintenanceServiceRequests.runtime.talos.dev runtime MaintenanceServiceRequest
Manifests.kubernetes.talos.dev controlplane Manifest
ManifestStatuses.kubernetes.talos.dev controlplane ManifestStatus
MDArraySpecs.storage.talos.dev storage MDArraySpec | Level {.level}
MDArrayStatuses.storage.talos.dev storage MDArrayStatus | Level {.level} | Status {.status} | Sync {.syncAction} | Device {.device}
MDRefreshRequests.storage.talos.dev storage MDRefreshRequest | Request {.request}
Members.cluster.talos.dev cluster Member | Hostname {.hostname} | Machine Type {.machineType} | OS {.operatingSystem} | Addresses {.addresses}
MemoryModules.hardware.talos.dev hardware MemoryModule memorymodules,ram | Manufacturer {.manufacturer} | Model {.productName} | SizeMiB {.sizeMiB}
MemoryStats.perf.talos.dev perf MemoryStat | Used {.used} | Total {.total}
MetaKeys.runtime.talos.dev runtime MetaKey meta | Value {.value}
MetaLoads.runtime.talos.dev runtime MetaLoad | Done {.done}
MountRequests.block.talos.dev runtime MountRequest | Volume {.volumeID} | Parent {.parentID} | Requesters {.requesters}
MountStatuses.block.talos.dev runtime MountStatus | Source {.source} | Target {.target} | Filesystem {.filesystem} | Volume {.spec.volumeID}
-MountStatuses.runtime.talos.dev runtime MountStatus mounts | Source {.source} | Target {.target} | Filesystem Type {.filesystemType}
Namespaces.meta.cosi.dev meta Namespace ns
NetworkStatuses.net.talos.dev network NetworkStatus netstatus,netstatuses | Address {.addressReady} | Connectivity {.connectivityReady} | Hostname {.hostnameReady} | Etc {.etcFilesReady}
NfTablesChains.net.talos.dev network NfTablesChain chain,chains | Type {.type} | Hook {.hook} | Priority {.priority} | Policy {.policy}
NodeAddresses.net.talos.dev network NodeAddress | Addresses {.addresses} | SortAlgorithm {.sortAlgorithm}
NodeAddressFilters.net.talos.dev network NodeAddressFilter | Include Subnets {.includeSubnets} | Exclude Subnets {.excludeSubnets}
NodeAddressSortAlgorithms.net.talos.dev network NodeAddressSortAlgorithm | Algorithm {.algorithm}
!NodeAnnotationSpecs.k8s.talos.dev k8s NodeAnnotationSpec | Value {.value}
!NodeCordonedSpecs.k8s.talos.dev k8s NodeCordonedSpec
NodeIPConfigs.kubernetes.talos.dev k8s NodeIPConfig
NodeIPs.kubernetes.talos.dev k8s NodeIP
!NodeLabelSpecs.k8s.talos.dev k8s NodeLabelSpec | Value {.value}
Nodenames.kubernetes.talos.dev k8s Nodename | Nodename {.nodename}
NodeStatuses.kubernetes.talos.dev k8s NodeStatus | Ready {.nodeReady} | Unschedulable {.unschedulable}
!NodeTaintSpecs.k8s.talos.dev k8s NodeTaintSpec | Effect {.effect} | Value {.value}
NTPStatuses.v1alpha1.talos.dev runtime NTPStatus | Spike Detected {.spikeDetected} | Consecutive Spikes {.consecutiveSpikes}
!OOMActions.talos.dev runtime OOMAction oomaction,oomactions | Time {.time} | Score {.score}
!OperatorSpecs.net.talos.dev network OperatorSpec
!OSRootSecrets.secrets.talos.dev secrets OSRootSecret
PCIDevices.hardware.talos.dev hardware PCIDevice devices,device | Class {.class} | Subclass {.subclass} | Vendor {.vendor} | Product {.product}
PCIDriverRebindConfigs.runtime.talos.dev hardware PCIDriverRebindConfig | Name {.name} | PCI ID {.pciID} | TargetDriver {.targetDriver}
PCIDriverRebindStatuses.runtime.talos.dev hardware PCIDriverRebindStatus pcidriverrebinds | Name {.name} | PCI ID {.pciID} | TargetDriver {.targetDriver}
PCRStatuses.hardware.talos.dev hardware PCRStatus
PKIStatuses.etcd.talos.dev etcd PKIStatus | Ready {.ready} | Secrets Version {.version}
PlatformConfigs.net.talos.dev network PlatformConfig
PlatformMetadatas.talos.dev runtime PlatformMetadata | Platform {.platform} | Type {.instanceType} | Region {.region} | Zone {.zone}
ProbeSpecs.net.talos.dev network ProbeSpec
ProbeStatuses.net.talos.dev network ProbeStatus probe,probes | Success {.success}
Processors.hardware.talos.dev hardware Processor cpus,cpu | Manufacturer {.manufacturer} | Model {.productName} | Cores {.coreCount} | Threads {.threadCount}
RebootRequests.runtime.talos.dev runtime RebootRequest
!RegistryConfigs.cri.talos.dev cri RegistryConfig
ResolverSpecs.net.talos.dev network ResolverSpec | Layer {.layer} | Resolvers {.dnsServers} | Search Domains {.searchDomains}
ResolverStatuses.net.talos.dev network ResolverStatus resolvers | Resolvers {.dnsServers} | Search Domains {.searchDomains}
ResourceDefinitions.meta.cosi.dev meta ResourceDefinition api-resources | Aliases {.aliases[:]}
RouteSpecs.net.talos.dev network RouteSpec
RouteStatuses.net.talos.dev network RouteStatus route,routes | Destination {.dst} | Gateway {.gateway} | Link {.outLinkName} | Metric {.priority}
RoutingRuleSpecs.net.talos.dev network RoutingRuleSpec
RoutingRuleStatuses.net.talos.dev network RoutingRuleStatus routingrule,routingrules | Src {.src} | Dst {.dst} | Table {.table} | Priority {.priority}
SBOMItems.talos.dev runtime SBOMItem sbom,sboms | Version {.version} | License {.license} | Extension {.extension}
SchedulerConfigs.kubernetes.talos.dev controlplane SchedulerConfig
SeccompProfiles.cri.talos.dev cri SeccompProfile
SecretStatuses.kubernetes.talos.dev controlplane SecretStatus | Ready {.ready} | Secrets Version {.version}
SecurityStates.talos.dev runtime SecurityState | SecureBoot {.secureBoot} | UKISigningKeyFingerprint {.ukiSigningKeyFingerprint} | PCRSigningKeyFingerprint {.pcrSigningKeyFingerprint} | SELinuxState {.selinuxState} | ModuleSignatureEnforced {.moduleSignatureEnforced}
ServicePIDs.runtime.talos.dev runtime ServicePID | PID {.pid}
Services.v1alpha1.talos.dev runtime Service svc | Running {.running} | Healthy {.healthy} | Health Unknown {.unknown}
!SiderolinkConfigs.siderolink.talos.dev config SiderolinkConfig | API Endpoint {.apiEndpoint} | Tunnel {.tunnel}
SiderolinkStatuses.siderolink.talos.dev config SiderolinkStatus | Host {.host} | Connected {.connected}
!SiderolinkTunnels.siderolink.talos.dev config SiderolinkTunnel | API Endpoint {.apiEndpoint} | Link name {.linkName} | MTU {.mtu} | Node address {.nodeAddress}
StaticHosts.net.talos.dev network StaticHost | Addresses {.addresses}
StaticPods.kubernetes.talos.dev k8s StaticPod
StaticPodServerStatuses.kubernetes.talos.dev k8s StaticPodServerStatus
StaticPodStatuses.kubernetes.talos.dev k8s StaticPodStatus podstatus | Ready {.conditions[?(@.type=="Ready")].status}
SwapStatuses.block.talos.dev runtime SwapStatus swap,swaps | Device {.device} | Size {.sizeHuman} | Used {.usedHuman} | Priority {.priority}
SystemDisks.block.talos.dev runtime SystemDisk | Disk {.diskID}
SystemInformations.hardware.talos.dev hardware SystemInformation systeminformation | Manufacturer {.manufacturer} | ProductName {.productName} | Version {.version} | SerialNumber {.serialnumber} | UUID {.uuid} | WakeUpType {.wakeUpType} | SKUNumber {.skuNumber}
TimeServerSpecs.net.talos.dev network TimeServerSpec | Timeservers {.timeServers} | UseNTS {.useNTS}
TimeServerStatuses.net.talos.dev network TimeServerStatus timeserver,timeservers | Timeservers {.timeServers} | UseNTS {.useNTS}
TimeStatuses.v1alpha1.talos.dev runtime TimeStatus | Synced {.synced}
!TrustdCertificates.secrets.talos.dev secrets TrustdCertificate
TUFTrustedRoots.security.talos.dev security TUFTrustedRoot | Last Refresh {.lastRefreshTime}
UnattendedInstallStatuses.runtime.talos.dev runtime UnattendedInstallStatus | Phase {.phase}
UniqueMachineTokens.runtime.talos.dev runtime UniqueMachineToken | Token {.token}
UserDiskConfigStatuses.block.talos.dev runtime UserDiskConfigStatus | Ready {.ready}
Versions.runtime.talos.dev runtime Version | Name {.name} | Version {.version}
!VolumeConfigs.block.talos.dev runtime VolumeConfig
VolumeLifecycles.block.talos.dev runtime VolumeLifecycle
VolumeMountRequests.block.talos.dev runtime VolumeMountRequest | Volume ID {.volumeID} | Requester {.requester}
VolumeMountStatuses.block.talos.dev runtime VolumeMountStatus | Volume ID {.volumeID} | Requester {.requester} | Target {.target}
VolumeStatuses.block.talos.dev runtime VolumeStatus | Type {.type} | Phase {.phase} | Location {.location} | Size {.prettySize}
VolumeTrimSchedules.block.talos.dev runtime VolumeTrimSchedule | Filesystem {.filesystem} | Interval {.interval} | Next Trim {.nextTrim}
WatchdogTimerConfigs.runtime.talos.dev runtime WatchdogTimerConfig | Device {.device} | Timeout {.timeout}
WatchdogTimerStatuses.runtime.talos.dev runtime WatchdogTimerStatus | Device {.device} | Timeout {.timeout}
ZswapStatuses.block.talos.dev runtime ZswapStatus | Total Size {.totalSizeHuman} | Stored Pages {.storedPages} | Written Back {.writtenBackPages} | Pool Limit Hit {.poolLimitHit}
`;

export const NAMESPACE_TABLE = `
cluster Cluster configuration and discovery resources.
cluster-raw Cluster unmerged raw resources.
config Talos node configuration.
containers Talos-managed container resources.
controlplane Kubernetes control plane resources.
cri CRI Seccomp resources.
etcd etcd resources.
files Files and file-like resources.
hardware Hardware resources.
k8s Kubernetes all node types resources.
kubespan KubeSpan resources.
meta Metadata namespace which contains resource and namespace definitions.
network Networking resources.
network-config Networking configuration resources.
perf Stats resources.
runtime Talos v1alpha1 subsystems glue resources.
secrets Resources with secret material.
security Security resources.
storage Storage resources.
`;
