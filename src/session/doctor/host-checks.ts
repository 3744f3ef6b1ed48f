/** Hosts, clocks, storages, bridges, devices: is there what the design takes for granted? */
import type { Config } from '../../config/config.js';
import type { Design } from '../../design/design.js';
import { type Check, fail, ok, warn } from './check.js';
import type { ClusterFacts, HostFacts } from './facts.js';
import { bridgesOf, hostsOf, storagesOf } from './wanted.js';

const SKEW_WARN_MS = 5_000;
const SKEW_FAIL_MS = 5 * 60_000;

export function hostChecks(design: Design, cluster: ClusterFacts): Check[] {
  const checks: Check[] = [];
  if (cluster.status.known && !cluster.status.value.quorate) {
    checks.push(
      fail('hosts', 'the Proxmox cluster has no quorum: it refuses every change', 'See: pvecm status'),
    );
  }
  const versions = new Map<string, string[]>();
  for (const host of hostsOf(design)) {
    const entry = cluster.nodes.find((node) => node.node === host);
    if (!entry) {
      const names = cluster.nodes.map((node) => node.node).join(', ');
      checks.push(
        fail(
          'hosts',
          `there is no host ${host}; the cluster has ${names}`,
          'Correct the host in the config.',
        ),
      );
    } else if (!entry.online) {
      checks.push(
        fail('hosts', `${host} is down`, 'Bring it back, or move its nodes to another host in the config.'),
      );
    } else {
      const version = cluster.hosts[host]?.version;
      const text = version?.known ? (version.value.split('/')[1] ?? version.value) : undefined;
      checks.push(ok('hosts', `${host} is up${text ? `, Proxmox VE ${text}` : ''}`));
      if (text) versions.set(text, [...(versions.get(text) ?? []), host]);
    }
  }
  if (versions.size > 1) {
    const list = [...versions].map(([version, hosts]) => `${version} on ${hosts.join(', ')}`).join('; ');
    checks.push(warn('hosts', `hosts differ in version: ${list}`, 'Finish the upgrade of the cluster.'));
  }
  return checks;
}

export function clockChecks(cluster: ClusterFacts): Check[] {
  return Object.entries(cluster.hosts).flatMap(([host, { clockAhead }]) => {
    if (!clockAhead.known) return [];
    const off = Math.abs(clockAhead.value);
    if (off <= SKEW_WARN_MS) return [ok('clock', `the clock of ${host} agrees`)];
    const text = `${host} is ${Math.round(off / 1000)} s ${clockAhead.value > 0 ? 'ahead of' : 'behind'} this computer`;
    const say = off > SKEW_FAIL_MS ? fail : warn;
    return [say('clock', text, 'Certificates and etcd need the right time. On the host: chronyc tracking')];
  });
}

export function storageChecks(design: Design, cluster: ClusterFacts): Check[] {
  const wanted = [
    ...storagesOf(design).map(({ host, storage }) => ({ host, storage, content: 'images' })),
    ...design.images.map(({ host, storage, content }) => ({ host, storage, content })),
  ];
  const distinct = new Map(wanted.map((want) => [`${want.host}/${want.storage}/${want.content}`, want]));
  return [...distinct.values()].flatMap(({ host, storage, content }) => {
    const facts = online(cluster, host);
    if (!facts) return [];
    if (!facts.storages.known) return [warn('storages', `${host}: cannot be read: ${facts.storages.why}`)];
    const found = facts.storages.value.find((entry) => entry.storage === storage);
    if (!found) {
      const names = facts.storages.value.map((entry) => entry.storage).join(', ') || 'none';
      return [
        fail(
          'storages',
          `${host} has no storage ${storage} that the token can see; it has ${names}`,
          'Correct the storage in the config, or see the missing privileges.',
        ),
      ];
    }
    if (!found.enabled || !found.active) {
      return [
        fail('storages', `${storage} on ${host} is not active`, `See: pvesm status --storage ${storage}`),
      ];
    }
    if (!found.content.includes(content)) {
      const all = [...found.content, content].sort().join(',');
      return [
        fail(
          'storages',
          `${storage} on ${host} does not take content "${content}", only ${found.content.join(', ')}`,
          `pvesm set ${storage} --content ${all}`,
        ),
      ];
    }
    return [ok('storages', `${storage} on ${host} takes ${content}`)];
  });
}

export function networkChecks(config: Config, design: Design, cluster: ClusterFacts): Check[] {
  const distinct = new Map(bridgesOf(config, design).map((want) => [`${want.host}/${want.bridge}`, want]));
  return [...distinct.values()].flatMap(({ host, bridge }) => {
    const facts = online(cluster, host);
    if (!facts) return [];
    if (!facts.bridges.known) return [warn('network', `${host}: cannot be read: ${facts.bridges.why}`)];
    if (facts.bridges.value.some((entry) => entry.iface === bridge)) {
      return [ok('network', `${host} has ${bridge}`)];
    }
    const names = facts.bridges.value.map((entry) => entry.iface).join(', ') || 'none';
    return [
      fail(
        'network',
        `${host} has no bridge ${bridge} that the token can see; it has ${names}`,
        'Proxmox notices only when a VM starts. Correct the bridge in the config, or create it on the host.',
      ),
    ];
  });
}

export function deviceChecks(config: Config, design: Design, cluster: ClusterFacts): Check[] {
  return [...mappingChecks(config, design, cluster), ...cpuChecks(config, design, cluster)];
}

function mappingChecks(config: Config, design: Design, cluster: ClusterFacts): Check[] {
  const hostOf = hostOfNode(design);
  const wanted = new Map(
    config.nodes.flatMap((node) =>
      node.vm.pci.map(({ mapping }) => {
        const host = hostOf.get(node.name) ?? node.host;
        return [`${mapping}/${host}`, { mapping, host }] as const;
      }),
    ),
  );
  if (wanted.size === 0) return [];
  const { mappings } = cluster;
  if (!mappings.known) return [warn('devices', `PCI mappings cannot be read: ${mappings.why}`)];
  return [...wanted.values()].map(({ mapping, host }) => {
    const found = mappings.value.find((entry) => entry.id === mapping);
    const fix = `Add it under Datacenter → Resource Mappings, with a device of ${host}.`;
    if (!found) return fail('devices', `there is no PCI mapping ${mapping} that the token can see`, fix);
    if (!found.nodes.includes(host))
      return fail('devices', `PCI mapping ${mapping} has no device on ${host}`, fix);
    return ok('devices', `PCI mapping ${mapping} has a device on ${host}`);
  });
}

function cpuChecks(config: Config, design: Design, cluster: ClusterFacts): Check[] {
  const hostOf = hostOfNode(design);
  const wanted = new Map(
    config.nodes.map((node) => {
      const host = hostOf.get(node.name) ?? node.host;
      return [`${node.vm.cpuType}/${host}`, { type: node.vm.cpuType, host }] as const;
    }),
  );
  return [...wanted.values()].flatMap(({ type, host }) => {
    const models = online(cluster, host)?.cpuModels;
    if (!models) return [];
    if (!models.known) return [warn('devices', `${host}: CPU types cannot be read: ${models.why}`)];
    return models.value.some((model) => model.name === type)
      ? [ok('devices', `${host} knows the CPU type ${type}`)]
      : [
          fail(
            'devices',
            `${host} does not know the CPU type ${type}`,
            'Take one it knows, such as x86-64-v2-AES or host; custom ones need the prefix "custom-".',
          ),
        ];
  });
}

function hostOfNode(design: Design): Map<string, string> {
  return new Map(design.nodes.map((node) => [node.name, node.host]));
}

/** A host that is down or unknown has been reported; what it has cannot be told. */
function online(cluster: ClusterFacts, host: string): HostFacts | undefined {
  return cluster.nodes.some((node) => node.node === host && node.online) ? cluster.hosts[host] : undefined;
}
