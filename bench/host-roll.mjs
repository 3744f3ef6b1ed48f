/**
 * `oxherd host roll` of three hosts on the embedded lab, with local disks: how long it takes with more nodes.
 * Usage: node bench/host-roll.mjs [workers…]. Prints a table, then one line of JSON.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printTable } from './measure.mjs';

/** Time per node with the most nodes, against that with the fewest. */
const LIMIT = 1.5;
const command = fileURLToPath(new URL('../dist/bin/oxherd.js', import.meta.url));
const asked = process.argv.slice(2).map(Number).filter(Boolean);
const sizes = asked.length > 0 ? asked : [3, 9, 18];
const HOSTS = ['pve1', 'pve2', 'pve3'];

const configOf = (workers) => `cluster: { name: bench, vip: 10.20.30.40, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
defaults:
  all: { cores: 2, memory: 2GiB, disk: 6GiB }
nodes:
  cp: { role: controlplane, count: 3, hosts: [${HOSTS.join(', ')}], ip: 10.20.30.41, vmid: 141 }
  work: { role: worker, count: ${workers}, hosts: [${HOSTS.join(', ')}], ip: 10.20.30.51, vmid: 151 }
policy: { host: { before: "true" } }
`;

function measure(workers) {
  const folder = mkdtempSync(join(tmpdir(), 'oxherd-bench-'));
  try {
    writeFileSync(join(folder, 'oxherd.yaml'), configOf(workers));
    const run = (...args) =>
      execFileSync(process.execPath, [command, '--lab', ...args], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    run('apply', '--yes');
    const begin = performance.now();
    const out = run('--json', 'host', 'roll', ...HOSTS, '--yes', '--for', '8h').toString();
    const milliseconds = performance.now() - begin;
    const steps = out.split('\n').filter((line) => line.includes('"type":"step-done"')).length;
    return { nodes: workers + 3, milliseconds, steps };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const results = sizes.map(measure);
printTable('host roll of three hosts', [
  ['nodes', 'steps', 'ms', 'ms per node'],
  ...results.map(({ nodes, steps, milliseconds }) => [
    String(nodes),
    String(steps),
    milliseconds,
    milliseconds / nodes,
  ]),
]);
process.stdout.write(`${JSON.stringify({ hostRoll: results })}\n`);
const perNode = results.map(({ nodes, milliseconds }) => milliseconds / nodes);
if (results.length > 1 && perNode.at(-1) > perNode[0] * LIMIT) process.exitCode = 1;
