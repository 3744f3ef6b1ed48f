/** What root does on a host, as oxherd prints it. */
import { runAsRoot } from '../../src/lab/proxmox/root-command.js';
import type { ClusterSite } from './cluster-site.js';

export function root(site: ClusterSite, command: string): void {
  const { db, core } = site.lab.proxmox.pve;
  runAsRoot(db, core.faults, command);
}

/** The exact lines that were printed. */
export function runPrinted(site: ClusterSite, text: string): string[] {
  const commands = text
    .split('\n')
    .flatMap((line) => /^ {2}((?:mv|rm) \/etc\/pve.*|ha-manager .*)$/.exec(line)?.[1] ?? []);
  for (const command of commands) root(site, command);
  return commands;
}
