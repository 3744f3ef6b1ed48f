/** The nine variables of the Terraform module (isejalabs/terraform-proxmox-talos) as an oxherd.yaml. */
import type { ForeignDocument, NamedText } from '../foreign/document.js';
import { Section } from '../foreign/section.js';
import { Translation } from '../foreign/translation.js';
import type { Report } from '../report.js';
import type { ReadText } from '../resolve/context.js';
import { translateCluster } from './module-cluster.js';
import { translateNodes } from './module-nodes.js';
import { translateVolumes } from './module-volumes.js';

/** Where Terraform looks for a variable that no file sets. */
const TOKEN_VARIABLE = 'TF_VAR_proxmox_api_token';
const SEALED_SECRETS = 'assets/sealed-secrets/certificate/sealed-secrets';

interface ModuleInput {
  readonly document: ForeignDocument;
  readonly report: Report;
  readonly files: readonly NamedText[];
  readonly readText: ReadText;
}

export function translateModule({ document, report, files, readText }: ModuleInput): Translation {
  const to = new Translation();
  const root = new Section([], document.raw, report, { converts: true });
  translateCluster(root, to);
  translateProxmox(root, to);
  translateToken(root, to, document, files);
  translateNodes(root, to);
  translateVolumes(root, to);
  translateCilium(root, to);
  translateSealedSecrets(root, to, readText);
  // The module always makes the CSI driver's user, role, token and secret.
  to.put(['kubernetes', 'csi'], true, []);
  sayUnknownVariables(root, report);
  return to;
}

function translateProxmox(root: Section, to: Translation): void {
  const proxmox = root.section('proxmox');
  to.place(['proxmox'], ['proxmox']);
  to.move(
    ['proxmox', 'endpoint'],
    proxmox.required(proxmox.text('endpoint'), 'endpoint', '"https://pve.example.com:8006"'),
    (endpoint) => endpoint.replace(/\/api2\/json\/?$/, ''),
  );
  const insecure = proxmox.required(proxmox.flag('insecure'), 'insecure', 'false');
  if (insecure?.value) to.move(['proxmox', 'insecure'], insecure);
  const username = proxmox.text('username');
  if (username) {
    proxmox.warn(
      username.path,
      'tfvars.ssh',
      'SSH is no longer used: the API token does everything',
      'remove it, and the SSH user on the hosts',
    );
  }
  const named = proxmox.required(proxmox.text('cluster_name'), 'cluster_name', '"proxmox"');
  const region = root.section('cluster').text('proxmox_cluster');
  if (named && region && named.value !== region.value) {
    proxmox.warn(
      named.path,
      'tfvars.region',
      `\`${named.value}\` here and \`${region.value}\` in \`cluster.proxmox_cluster\`: the region of the CSI driver and of the node labels must agree`,
      `\`${region.value}\` is taken for both`,
    );
  }
  proxmox.refuseUnknown();
}

/** The token stays where it is: a config says only where. */
function translateToken(
  root: Section,
  to: Translation,
  document: ForeignDocument,
  files: readonly NamedText[],
): void {
  const given = root.text('proxmox_api_token');
  if (!given || given.value === '') {
    to.put(['proxmox', 'token'], `env:${TOKEN_VARIABLE}`, ['proxmox']);
    return;
  }
  const { file } = document.positionOf(given.path);
  const name = files.find(({ path }) => path === file)?.name ?? file;
  to.put(['proxmox', 'token'], `tfvars:${name}#proxmox_api_token`, given.path);
}

function translateCilium(root: Section, to: Translation): void {
  const cilium = root.section('cilium_config');
  to.put(['kubernetes', 'cilium'], true, ['cilium_config']);
  const keys = { manifest: 'bootstrap_manifest_path', values: 'values_file_path' } as const;
  for (const [here, there] of Object.entries(keys)) {
    const outside = root.text(there);
    if (outside) {
      root.warn(
        outside.path,
        'tfvars.place',
        'is a key of `cilium_config`',
        'put it inside `cilium_config = { … }`',
      );
    }
    to.move(['kubernetes', 'cilium', here], cilium.text(there) ?? outside);
  }
  cilium.refuseUnknown();
}

/** Files in their default place are used; without them a key pair is made. */
function translateSealedSecrets(root: Section, to: Translation, readText: ReadText): void {
  const section = root.section('sealed_secrets_config');
  const certificate = section.text('certificate_path');
  const key = section.text('key_path');
  section.refuseUnknown();
  const isThere = (path: string) => readText(path) !== undefined;
  const byDefault = isThere(`${SEALED_SECRETS}.cert`) && isThere(`${SEALED_SECRETS}.key`);
  if (!certificate && !key && !byDefault) {
    to.put(['kubernetes', 'sealedSecrets'], true, ['sealed_secrets_config']);
    return;
  }
  const path = ['sealed_secrets_config'];
  to.put(
    ['kubernetes', 'sealedSecrets', 'certificate'],
    certificate?.value ?? `${SEALED_SECRETS}.cert`,
    certificate?.path ?? path,
  );
  to.put(
    ['kubernetes', 'sealedSecrets', 'key'],
    `file:${key?.value ?? `${SEALED_SECRETS}.key`}`,
    key?.path ?? path,
  );
}

/** Variable files may hold more than the module's; a near miss is a mistake all the same. */
function sayUnknownVariables(root: Section, report: Report): void {
  for (const key of root.unknownKeys) {
    if (report.isFull()) return;
    const meant = root.suggestFor(key);
    const problem = {
      code: 'tfvars.variable',
      path: [key],
      message: `\`${key}\` is no variable of the module`,
      at: 'key',
    } as const;
    if (meant === undefined) report.warning({ ...problem, hint: 'it is left alone' });
    else report.error({ ...problem, hint: `did you mean \`${meant}\`?` });
  }
}
