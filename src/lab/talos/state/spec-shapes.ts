/**
 * How the specs of resources look on the wire (api/resource/definitions of Talos v1.14): fields by name, number and type,
 * then the values of enumerations. A line that is indented goes on.
 *
 * Types: s text, b bool, u and i integers, x fixed, y bytes, pem base64 of PEM, d double, e: enumeration, m: message, `*` repeated.
 */
export const SPEC_SHAPES = `
MachineConfigs.config.talos.dev = yaml_marshalled:1:y
MachineTypes.config.talos.dev = machine_type:1:e:MachineType
Namespaces.meta.cosi.dev = description:1:s
ResourceDefinitions.meta.cosi.dev = type:1:s display_type:2:s default_namespace:3:s aliases:4:*s all_aliases:5:*s
  print_columns:6:*m:meta.PrintColumn sensitivity:7:e:Sensitivity
meta.PrintColumn = name:1:s json_path:2:s
Sensitivity = nonsensitive:0 sensitive:1
AddressStatuses.net.talos.dev = address:1:NetIPPrefix local:2:NetIP broadcast:3:NetIP anycast:4:NetIP
  multicast:5:NetIP link_index:6:u link_name:7:s family:8:e:NethelpersFamily scope:9:e:NethelpersScope
  flags:10:u priority:11:u
Affiliates.cluster.talos.dev = node_id:1:s addresses:2:*NetIP hostname:3:s nodename:4:s operating_system:5:s
  machine_type:6:e:MachineType control_plane:8:m:cluster.ControlPlane
DiscoveredVolumes.block.talos.dev = size:1:u sector_size:2:u io_size:3:u name:4:s uuid:5:s label:6:s
  block_size:7:u filesystem_block_size:8:u probed_size:9:u partition_uuid:10:s partition_type:11:s
  partition_label:12:s partition_index:13:u type:14:s device_path:15:s parent:16:s dev_path:17:s
  parent_dev_path:18:s pretty_size:19:s offset:20:u
Disks.block.talos.dev = size:1:u io_size:2:u sector_size:3:u readonly:4:b model:5:s serial:6:s modalias:7:s
  wwid:8:s bus_path:9:s sub_system:10:s transport:11:s rotational:12:b cdrom:13:b dev_path:14:s pretty_size:15:s
  secondary_disks:16:*s uuid:17:s symlinks:18:*s firmware_version:19:s
EtcdMembers.etcd.talos.dev = member_id:1:s
ExtensionStatuses.runtime.talos.dev = image:1:s metadata:2:m:extensions.Metadata
HostnameStatuses.net.talos.dev = hostname:1:s domainname:2:s
Identities.cluster.talos.dev = node_id:1:s
LinkStatuses.net.talos.dev = index:1:u type:2:e:NethelpersLinkType link_index:3:u flags:4:u hardware_addr:5:y
  broadcast_addr:6:y mtu:7:u queue_disc:8:s master_index:9:u operational_state:10:e:NethelpersOperationalState
  kind:11:s slave_kind:12:s bus_path:13:s pciid:14:s driver:15:s driver_version:16:s firmware_version:17:s
  product_id:18:s vendor_id:19:s product:20:s vendor:21:s link_state:22:b speed_megabits:23:i
  port:24:e:NethelpersPort duplex:25:e:NethelpersDuplex permanent_addr:30:y alias:31:s alt_names:32:*s
MachineStatuses.runtime.talos.dev = stage:1:e:RuntimeMachineStage status:2:m:runtime.MachineStatusStatus
KubeletSpecs.kubernetes.talos.dev = image:1:s args:2:*s expected_nodename:4:s config:5:Struct
APIServerConfigs.kubernetes.talos.dev = image:1:s control_plane_endpoint:3:s etcd_servers:4:*s local_port:5:i
ControllerManagerConfigs.kubernetes.talos.dev = enabled:1:b image:2:s
SchedulerConfigs.kubernetes.talos.dev = enabled:1:b image:2:s config:7:Struct
OSRootSecrets.secrets.talos.dev = issuing_ca:1:m:common.PEM cert_sani_ps:2:*NetIP cert_sandns_names:3:*s token:4:s
  accepted_c_as:5:*m:common.PEM
KubernetesRootSecrets.secrets.talos.dev = name:1:s endpoint:2:URL local_endpoint:3:URL cert_sa_ns:4:*s
  dns_domain:6:s issuing_ca:7:m:common.PEM service_account:8:m:common.PEMKey accepted_c_as:15:*m:common.PEM
common.PEM = crt:1:pem key:2:pem
common.PEMKey = key:1:pem
Manifests.kubernetes.talos.dev = items:1:*m:k8s.SingleManifest
Members.cluster.talos.dev = node_id:1:s addresses:2:*NetIP hostname:3:s machine_type:4:e:MachineType
  operating_system:5:s control_plane:6:m:cluster.ControlPlane
MemoryModules.hardware.talos.dev = size:1:u device_locator:2:s bank_locator:3:s speed:4:u manufacturer:5:s
  serial_number:6:s asset_tag:7:s product_name:8:s
MountStatuses.block.talos.dev = spec:1:m:block.MountRequestSpec target:2:s source:3:s
  filesystem:4:e:BlockFilesystemType read_only:5:b project_quota_support:6:b
  encryption_provider:7:e:BlockEncryptionProviderType detached:8:b
NetworkStatuses.net.talos.dev = address_ready:1:b connectivity_ready:2:b hostname_ready:3:b etc_files_ready:4:b
NodeAddresses.net.talos.dev = addresses:1:*NetIPPrefix sort_algorithm:2:e:NethelpersAddressSortAlgorithm
NodeIPs.kubernetes.talos.dev = addresses:1:*NetIP
NodeStatuses.kubernetes.talos.dev = nodename:1:s node_ready:2:b unschedulable:3:b labels:4:map annotations:5:map
  pod_cid_rs:6:*NetIPPrefix
Nodenames.kubernetes.talos.dev = nodename:1:s hostname_version:2:s skip_node_registration:3:b
Processors.hardware.talos.dev = socket:1:s manufacturer:2:s product_name:3:s max_speed:4:u boot_speed:5:u
  status:6:u serial_number:7:s asset_tag:8:s part_number:9:s core_count:10:u core_enabled:11:u thread_count:12:u
ResolverStatuses.net.talos.dev = dns_servers:1:*NetIP search_domains:2:*s
  name_servers:4:*m:network.NameServerSpec
RouteStatuses.net.talos.dev = family:1:e:NethelpersFamily dst:2:NetIPPrefix src:3:NetIP
  gateway:4:NetIP out_link_index:5:u out_link_name:6:s table:7:e:NethelpersRoutingTable priority:8:u
  scope:9:e:NethelpersScope type:10:e:NethelpersRouteType flags:11:u protocol:12:e:NethelpersRouteProtocol
  mtu:13:u next_hops:14:*m:network.RouteNextHop
Services.v1alpha1.talos.dev = running:1:b healthy:2:b unknown:3:b
StaticPodStatuses.kubernetes.talos.dev = pod_status:1:Struct
SystemDisks.block.talos.dev = disk_id:1:s dev_path:2:s
SystemInformations.hardware.talos.dev = manufacturer:1:s product_name:2:s version:3:s serial_number:4:s uuid:5:s
  wake_up_type:6:s sku_number:7:s bios_version:8:s
TimeServerStatuses.net.talos.dev = time_servers:1:*s use_nts:2:b
TimeStatuses.v1alpha1.talos.dev = synced:1:b epoch:2:i sync_disabled:3:b
UnattendedInstallStatuses.runtime.talos.dev = image:1:s phase:2:e:RuntimeUnattendedInstallPhase error:3:s
Versions.runtime.talos.dev = version:1:s name:2:s
VolumeStatuses.block.talos.dev = phase:1:e:BlockVolumePhase location:2:s error_message:3:s uuid:4:s
  partition_uuid:5:s pre_fail_phase:6:e:BlockVolumePhase parent_location:7:s partition_index:8:i size:9:u
  filesystem:10:e:BlockFilesystemType mount_location:11:s encryption_provider:12:e:BlockEncryptionProviderType
  pretty_size:13:s encryption_failed_syncs:14:*s mount_spec:15:m:block.MountSpec type:16:e:BlockVolumeType
  configured_encryption_keys:17:*s symlink:18:m:block.SymlinkProvisioningSpec parent_id:19:s
  encryption_locked_to_state:20:b encryption_slot:21:i
  tpm_encryption_options:22:m:block.TPMEncryptionOptionsInfo encryption_allow_discards:23:b trim_enabled:24:b
  trim_interval:25:Duration scrub_enabled:26:b scrub_interval:27:Duration
runtime.MachineStatusStatus = ready:1:b unmet_conditions:2:*m:runtime.UnmetCondition
block.MountSpec = target_path:1:s selinux_label:2:s project_quota_support:3:b parent_id:4:s file_mode:5:u
  uid:6:i gid:7:i recursive_relabel:8:b bind_target:9:s parameters:10:*m:block.ParameterSpec secure:11:b
  no_exec:12:b
block.SymlinkProvisioningSpec = symlink_target_path:1:s force:2:b
block.TPMEncryptionOptionsInfo = pc_rs:1:*i pub_key_pc_rs:2:*i
block.MountRequestSpec = volume_id:1:s parent_mount_id:2:s requesters:3:*s requester_i_ds:4:*s read_only:5:b
  detached:6:b disable_access_time:7:b secure:8:b no_exec:9:b
cluster.ControlPlane = port:1:i
network.NameServerSpec = addr:1:NetIP protocol:2:e:NethelpersDNSProtocol tls_server_name:3:s
network.RouteNextHop = gateway:1:NetIP out_link_name:2:s weight:3:u
k8s.SingleManifest = object:1:Struct
extensions.Metadata = name:1:s version:2:s author:3:s description:4:s extra_info:6:s
runtime.UnmetCondition = name:1:s reason:2:s
block.ParameterSpec = type:1:e:BlockFSParameterType name:2:s string:3:s binary:5:y
BlockEncryptionProviderType = none:0 luks2:1
BlockFSParameterType = stringvalue:0 booleanvalue:1 binaryvalue:2
BlockFilesystemType = none:0 xfs:1 vfat:2 ext4:3 iso9660:4 swap:5 virtiofs:6 btrfs:7
BlockVolumePhase = waiting:0 failed:1 missing:2 located:3 provisioned:4 prepared:5 ready:6 closed:7
BlockVolumeType = partition:0 disk:1 tmpfs:2 directory:3 symlink:4 overlay:5 external:6
MachineType = unknown:0 init:1 controlplane:2 worker:3
NethelpersAddressSortAlgorithm = v1:0 v2:1
NethelpersDNSProtocol = default:0 dnsovertls:1 dnsoverhttp:2
NethelpersDuplex = half:0 full:1 unknown:255
NethelpersFamily = :0 inet4:2 inet6:10
NethelpersLinkType = netrom:0 ether:1 infiniband:32 ppp:512 tunnel:768 tunnel6:769 loopback:772 sit:776 none:65534
NethelpersOperationalState = unknown:0 notpresent:1 down:2 lowerlayerdown:3 testing:4 dormant:5 up:6
NethelpersPort = twistedpair:0 aui:1 mii:2 fibre:3 bnc:4 directattach:5 none:239 other:255
NethelpersRouteProtocol = unspec:0 redirect:1 kernel:2 boot:3 static:4 ra:9 mrt:10 zebra:11 bird:12 dnrouted:13
  xorp:14 ntk:15 dhcp:16 mrtd:17 keepalived:18 babel:42 openr:99 bgp:186 isis:187 ospf:188 rip:189 eigrp:192
NethelpersRouteType = unspec:0 unicast:1 local:2 broadcast:3 anycast:4 multicast:5 blackhole:6 unreachable:7
  prohibit:8 throw:9 nat:10 xresolve:11
NethelpersRoutingTable = unspec:0 default:253 main:254 local:255
NethelpersScope = global:0 site:200 link:253 host:254 nowhere:255
RuntimeMachineStage = unknown:0 booting:1 installing:2 maintenance:3 running:4 rebooting:5 shuttingdown:6
  resetting:7 upgrading:8
RuntimeUnattendedInstallPhase = pending:0 installing:1 installed:2 waitingforreboot:3 failed:4
`;
