/**
 * The options of the cluster template as an oxherd.yaml. The template's own defaults are the profile `template`.
 * What the user says goes over them in the template's order: global, role, node.
 */
import { formatCidr, ipv4FromNumber, ipv4ToNumber, parseCidr, parseIPv4 } from '../../model/address.js';
import type { ForeignDocument } from '../foreign/document.js';
import { Section } from '../foreign/section.js';
import { Translation } from '../foreign/translation.js';
import type { Report } from '../report.js';
import type { ReadText } from '../resolve/context.js';
import { show } from '../schema/values.js';
import type { Path } from '../yaml/position.js';
import { translateTemplateNodes } from './template-nodes.js';
import { translateVersions } from './template-versions.js';
import { translateAdvanced, translateDefaults } from './template-vms.js';

/** What the template gives where cluster.yaml says nothing. */
const DEFAULTS = {
  dns: ['1.1.1.1', '1.0.0.1'],
  ntp: ['162.159.200.1', '162.159.200.123'],
  pods: '10.42.0.0/16',
  services: '10.43.0.0/16',
  clusterName: 'kubernetes',
} as const;

/** Keys of what the template does inside the cluster, after it is up. */
const NOT_OURS = /^(cloudflare|repository|github|flux|cilium|cluster_gateway|cluster_dns_gateway|bootstrap)_/;

export function translateTemplate(
  document: ForeignDocument,
  report: Report,
  readText: ReadText,
): Translation {
  const to = new Translation();
  const root = new Section([], document.raw, report, { converts: false });
  to.put(['defaults', 'profile'], 'template', []);
  translateCluster(root, to);
  translateProxmox(root, to);
  translateNetwork(root, to);
  translateVersions(root, to, readText);
  translateDefaults(root, to);
  translateAdvanced(root.section('proxmox_vm_advanced'), to);
  translateTemplateNodes(root, to, readText);
  sayRest(root, report);
  return to;
}

function translateCluster(root: Section, to: Translation): void {
  const name = root.text('cluster_name');
  to.put(['cluster', 'name'], name?.value ?? DEFAULTS.clusterName, name?.path ?? []);
  to.move(['cluster', 'vip'], root.text('cluster_api_addr'));
  to.move(['cluster', 'certSANs'], root.texts('cluster_api_tls_sans'), (names) => [...names]);
  putNetwork(['cluster', 'podSubnets'], root, 'cluster_pod_cidr', DEFAULTS.pods, to);
  putNetwork(['cluster', 'serviceSubnets'], root, 'cluster_svc_cidr', DEFAULTS.services, to);
  // As the template writes its machine configs and VMs.
  to.put(['cluster', 'scheduleOnControlPlanes'], true, []);
  to.put(['cluster', 'onBoot'], false, []);
  to.put(['kubernetes', 'cilium'], true, []);
}

function putNetwork(
  here: readonly string[],
  root: Section,
  key: string,
  byDefault: string,
  to: Translation,
): void {
  const given = root.text(key);
  to.put(here, [given?.value ?? byDefault], given?.path ?? []);
}

function translateProxmox(root: Section, to: Translation): void {
  const url = root.required(root.text('proxmox_api_url'), 'proxmox_api_url', '"https://pve.lan:8006"');
  to.move(['proxmox', 'endpoint'], url, (value) => value.replace(/\/api2\/json\/?$/, ''));
  const cluster = root.text('proxmox_cluster');
  to.put(['proxmox', 'cluster'], cluster?.value ?? 'proxmox', cluster?.path ?? []);
  const token = root.text('proxmox_api_token');
  if (token) {
    root.refuse(
      token.path,
      'config.secret-in-file',
      'a secret has no place in this file',
      'put it into the environment variable OXHERD_PROXMOX_TOKEN; if the file was shared, create a new one',
    );
  }
  to.put(['proxmox', 'token'], 'env:OXHERD_PROXMOX_TOKEN', url?.path ?? []);
  const insecure = root.flag('proxmox_insecure', 'proxmox_tls_insecure');
  if (insecure?.value) to.move(['proxmox', 'insecure'], insecure);
  to.move(['proxmox', 'imageStorage'], root.text('proxmox_iso_storage'));
  to.move(['defaults', 'all', 'storage'], root.text('proxmox_disk_storage'));
}

function translateNetwork(root: Section, to: Translation): void {
  const subnet = subnetOf(root);
  if (subnet) {
    to.put(['network', 'subnet'], subnet.text, subnet.path);
    const gateway = root.text('node_default_gateway');
    const first = ipv4FromNumber(ipv4ToNumber(subnet.network) + 1);
    to.put(['network', 'gateway'], gateway?.value ?? first, gateway?.path ?? subnet.path);
  }
  const dns = root.texts('node_dns_servers');
  to.put(['network', 'dns'], [...(dns?.value ?? DEFAULTS.dns)], dns?.path ?? []);
  const ntp = root.texts('node_ntp_servers');
  to.put(['network', 'ntp'], [...(ntp?.value ?? DEFAULTS.ntp)], ntp?.path ?? []);
  const tag = root.looseText('node_vlan_tag');
  if (!tag || tag.value === '') return;
  if (/^\d{1,4}$/.test(tag.value) && Number(tag.value) <= 4094) {
    to.move(['network', 'vlan'], tag, Number);
  } else root.refuse(tag.path, 'config.value', `${show(tag.value)} is not a VLAN tag`, 'write 1 to 4094');
}

/** Said, or the /24 that the first node is in. */
function subnetOf(root: Section) {
  const given = root.text('node_cidr');
  if (given) {
    const cidr = parseCidr(given.value);
    if (cidr) return { text: given.value, network: cidr.network, path: given.path };
    root.refuse(
      given.path,
      'config.value',
      `${show(given.value)} is not a network`,
      'write it like `10.7.0.0/24`',
    );
    return undefined;
  }
  const first = root.list('nodes')[0]?.text('address');
  const address = first && parseIPv4(first.value);
  const network = address && ipv4FromNumber(Math.floor(ipv4ToNumber(address) / 256) * 256);
  const path: Path = first?.path ?? [];
  if (!network) {
    root.required(undefined, 'node_cidr', '10.7.0.0/24');
    return undefined;
  }
  const text = formatCidr({ network, prefix: 24 });
  root.warn(
    path,
    'template.network',
    `\`node_cidr\` is not said: ${text} is taken`,
    `write \`node_cidr: ${text}\``,
  );
  return { text, network, path };
}

/** What the template does in the cluster is no business of ours; a near miss of ours is a mistake. */
function sayRest(root: Section, report: Report): void {
  const left = root.unknownKeys.filter((key) => NOT_OURS.test(key));
  for (const key of root.unknownKeys) {
    if (report.isFull()) return;
    if (NOT_OURS.test(key)) continue;
    const meant = root.suggestFor(key);
    const problem = {
      code: 'config.unknown-key',
      path: [key],
      message: `\`${key}\` is not known here`,
      at: 'key',
    } as const;
    if (meant === undefined) report.warning({ ...problem, hint: 'it is left alone' });
    else report.error({ ...problem, hint: `did you mean \`${meant}\`?` });
  }
  const [first] = left;
  if (first === undefined) return;
  report.warning({
    code: 'template.left-alone',
    path: [first],
    message: `what runs in the cluster is not oxherd's business: ${left.join(', ')} ${left.length === 1 ? 'is' : 'are'} left alone`,
    at: 'key',
  });
}
