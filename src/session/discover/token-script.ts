/** A script for root on one Proxmox host: a user, its token, and one role per kind of path with what oxherd needs there. */
import { newConfigFile } from '../../config/edit/new-file.js';
import { loadConfig } from '../../config/load.js';
import { design } from '../../design/design-cluster.js';
import { neededPrivileges } from '../doctor/privileges.js';

const USER = 'oxherd@pve';
const TOKEN = 'main';

/** The first path above which rights are given for all of a kind: `/storage/local` is below `/storage`. */
const ABOVE = ['/vms', '/storage', '/nodes', '/sdn/zones/localnetwork', '/pool', '/mapping/pci'];

export function tokenScript(): string {
  const roles = new Map<string, Set<string>>();
  for (const { path, privileges } of sampleNeeds()) {
    const above = ABOVE.find((each) => path === each || path.startsWith(`${each}/`)) ?? path;
    roles.set(above, new Set([...(roles.get(above) ?? []), ...privileges]));
  }
  const lines = [...roles]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, privileges]) => {
      const role = `oxherd-${path.split('/')[1] || 'cluster'}`;
      const list = [...privileges].sort().join(',');
      return [
        `pveum role add ${role} --privs ${list} 2>/dev/null || pveum role modify ${role} --append 1 --privs ${list}`,
        `pveum acl modify ${path} --users ${USER} --roles ${role}`,
      ];
    });
  return `${[
    '#!/bin/sh',
    '# As root on one Proxmox host. Keep what the last line prints: the secret is shown once.',
    'set -e',
    `pveum user add ${USER} --comment oxherd 2>/dev/null || true`,
    ...lines,
    `pveum user token add ${USER} ${TOKEN} --privsep 0 --output-format json |`,
    `  sed -n 's/.*"value":"\\([^"]*\\)".*/export OXHERD_PROXMOX_TOKEN='"'"'${USER}!${TOKEN}=\\1'"'"'/p'`,
  ].join('\n')}\n`;
}

/** What the cluster of a new config needs; `oxherd doctor` names what more a larger one does. */
function sampleNeeds() {
  const text = newConfigFile({
    name: 'sample',
    endpoint: 'https://pve1.lan:8006',
    hosts: 'pve1,pve2,pve3',
    subnet: '192.0.2.0/24',
    gateway: '192.0.2.254',
    controlplanes: '3',
    workers: '3',
    vip: '',
    talos: 'v1.14.1',
    kubernetes: 'v1.36.0',
  });
  const { config } = loadConfig({ path: 'oxherd.yaml', text, readText: () => undefined });
  if (!config) throw new Error('the config of the sample is not valid');
  return neededPrivileges(config, design(config));
}
