/** The template's two files, for tests. */
import type { Config } from '../../../../src/config/config.js';
import { loadTemplate } from '../../../../src/config/from-template/load.js';

export function load(cluster: string, nodes: string, files: Readonly<Record<string, string>> = {}) {
  return loadTemplate({
    cluster: { path: 'cluster.yaml', name: 'cluster.yaml', text: cluster },
    nodes: { path: 'nodes.yaml', name: 'nodes.yaml', text: nodes },
    readText: (path) => files[path],
  });
}

export function config(cluster: string, nodes: string, files?: Readonly<Record<string, string>>): Config {
  const { config: loaded, diagnostics } = load(cluster, nodes, files);
  const errors = diagnostics.filter((each) => each.severity === 'error');
  if (!loaded || errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return loaded;
}

/** The least that the two files may say. */
export const LEAST = 'proxmox_api_url: https://pve.lan:8006\nproxmox_node: pve\ncluster_api_addr: 10.7.0.5\n';
export const nodes = (...entries: string[]) => `nodes:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`;
export const CP = '{ name: cp-1, address: 10.7.0.11, controller: true }';
export const WORKER = '{ name: work-1, address: 10.7.0.21, controller: false }';
