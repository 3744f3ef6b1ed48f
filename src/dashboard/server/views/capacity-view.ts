/** How full the hosts are, and which numbers of oxherd.yaml can be tried out. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config, NodeConfig } from '../../../config/config.js';
import { readYaml } from '../../../formats/text/yaml-text.js';
import { formatSize } from '../../../model/size.js';
import { configFiles } from '../../../session/config/config-files.js';
import { capacityOf, failoverWords } from '../../../session/plan/index.js';
import type { CapacityFigures, CapacityView, NodeGroup } from '../../api.js';
import type { ClusterSource, Reading } from '../reading.js';

export function capacityView(reading: Reading, { cwd, configPath, fleet }: ClusterSource): CapacityView {
  const { config, status } = reading;
  const { design, observed } = status;
  const files = fleet ? undefined : configFiles(cwd, configPath);
  const isOurs = files?.kind === 'yaml';
  const names = [...Object.keys(observed.hosts), ...config.hosts.map(({ name }) => name)];
  return {
    capacity: capacityFigures(config, design, observed),
    groups: isOurs ? groupsIn(readFileSync(resolve(cwd, files.path), 'utf8'), config) : [],
    hosts: [...new Set(names)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })),
    ...(!isOurs && {
      fixed: fleet
        ? `the config of ${fleet.name} is kept by its fleet: change it there`
        : `${configPath} is not oxherd.yaml; convert it with \`oxherd convert\``,
    }),
  };
}

export function capacityFigures(...given: Parameters<typeof capacityOf>): CapacityFigures {
  const { failovers, ...capacity } = capacityOf(...given);
  return { ...capacity, failovers: failovers.map((one) => ({ host: one.host, ...failoverWords(one) })) };
}

/** The entries of `nodes:`, each with the nodes that it stands for. */
export function groupsIn(text: string, { nodes }: Config): NodeGroup[] {
  const entries = entriesOf(entriesOf(readYaml(text)).nodes);
  return Object.entries(entries).flatMap(([name, entry]): NodeGroup[] => {
    const { count, hosts, host } = entriesOf(entry);
    const isGroup = typeof count === 'number';
    const own = nodes.filter((node) => (isGroup ? isMember(node, name, count) : node.name === name));
    const [first] = own;
    if (!first) return [];
    return [
      {
        name,
        role: first.role,
        ...(isGroup && { count }),
        cores: first.vm.cores,
        memory: formatSize(first.vm.memory),
        hosts: namesIn(hosts) ?? (typeof host === 'string' ? [host] : []),
        nodes: own.map((node) => node.name),
      },
    ];
  });
}

function isMember(node: NodeConfig, group: string, count: number): boolean {
  const number = node.name.startsWith(`${group}-`) ? Number(node.name.slice(group.length + 1)) : Number.NaN;
  return Number.isInteger(number) && number >= 1 && number <= count;
}

function entriesOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function namesIn(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined;
}
