/** `cluster`, `env` and `image` of the Terraform module. */
import { formatCidr, ipv4FromNumber, ipv4ToNumber, parseIPv4 } from '../../model/address.js';
import { formatMinor, parseVersion } from '../../model/version.js';
import type { Section } from '../foreign/section.js';
import type { Translation } from '../foreign/translation.js';
import { show } from '../schema/values.js';

export function translateCluster(root: Section, to: Translation): void {
  const cluster = root.section('cluster');
  to.place(['cluster'], ['cluster']);
  to.place(['network'], ['cluster']);
  to.move(['cluster', 'name'], cluster.required(cluster.text('name'), 'name', '"dev-talos"'));
  const env = root.text('env');
  if (env?.value !== '') to.move(['cluster', 'env'], env);
  to.move(['cluster', 'vip'], cluster.text('vip'));
  to.move(
    ['cluster', 'kubernetes'],
    cluster.required(cluster.text('kubernetes_version'), 'kubernetes_version', '"v1.36.0"'),
  );
  to.move(['cluster', 'scheduleOnControlPlanes'], cluster.flag('allow_scheduling_on_controlplane'));
  to.move(['cluster', 'onBoot'], cluster.flag('on_boot'));
  to.move(['cluster', 'apiServer'], cluster.text('api_server'));
  to.move(['cluster', 'kubelet'], cluster.text('kubelet'));
  to.move(['cluster', 'machineFeatures'], cluster.text('machine_features'));
  to.move(['cluster', 'extraManifests'], cluster.texts('extra_manifests', 'extraManifests'), (urls) => [
    ...urls,
  ]);
  to.move(
    ['proxmox', 'cluster'],
    cluster.required(cluster.text('proxmox_cluster'), 'proxmox_cluster', '"homelab"'),
  );
  to.move(
    ['kubernetes', 'gatewayApi', 'version'],
    cluster.required(cluster.text('gateway_api_version'), 'gateway_api_version', '"v1.6.3"'),
  );
  const contract = cluster.text('talos_machine_config_version');
  to.move(['talos', 'contract'], contract);
  translateNetwork(cluster, to);
  cluster.refuseUnknown();
  translateImage(root, to, contract !== undefined);
}

/** The module says gateway and mask; the network follows from both. */
function translateNetwork(cluster: Section, to: Translation): void {
  const gateway = cluster.required(cluster.text('gateway'), 'gateway', '"10.1.2.254"');
  const mask = cluster.text('subnet_mask');
  const address = gateway && parseIPv4(gateway.value);
  if (gateway && !address) {
    cluster.refuse(gateway.path, 'config.value', `${show(gateway.value)} is not an IPv4 address`);
  }
  const prefix = Number(mask?.value ?? '24');
  if (mask && !(/^\d+$/.test(mask.value) && prefix >= 1 && prefix <= 30)) {
    cluster.refuse(
      mask.path,
      'config.value',
      `${show(mask.value)} is not the length of a network prefix`,
      'write it like `"24"`',
    );
    return;
  }
  if (!gateway || !address) return;
  to.put(['network', 'gateway'], address, gateway.path);
  const size = 2 ** (32 - prefix);
  const network = ipv4FromNumber(Math.floor(ipv4ToNumber(address) / size) * size);
  if (network) to.put(['network', 'subnet'], formatCidr({ network, prefix }), (mask ?? gateway).path);
}

function translateImage(root: Section, to: Translation, hasContract: boolean): void {
  const image = root.section('image');
  to.place(['talos'], ['image']);
  const version = image.required(image.text('version'), 'version', '"v1.14.1"');
  to.move(['talos', 'version'], version);
  // The module writes configs of the version it installs, unless it is told otherwise.
  const installed = version && parseVersion(version.value);
  if (version && installed && !hasContract)
    to.put(['talos', 'contract'], formatMinor(installed), version.path);
  to.move(
    ['talos', 'schematic'],
    image.required(image.text('schematic_path'), 'schematic_path', '"assets/talos/schematic.yaml"'),
  );
  to.move(['talos', 'arch'], image.oneOf('arch', ['amd64', 'arm64']));
  to.move(['talos', 'factory'], image.text('factory_url'));
  const platform = image.text('platform');
  to.move(['talos', 'platform'], platform);
  if (platform && platform.value !== 'nocloud') {
    image.warn(
      platform.path,
      'tfvars.platform',
      `Talos for \`${platform.value}\` does not read Proxmox's cloud-init drive: the first boot takes its address by DHCP`,
      'with `nocloud`, the default, it has its own address from the start',
    );
    to.put(['network', 'firstBoot'], 'dhcp', platform.path);
  }
  to.move(['proxmox', 'imageStorage'], image.text('datastore'));
  // Read with the nodes.
  image.text('update_version');
  image.text('update_schematic_path');
  image.refuseUnknown();
}
