/**
 * `oxherd --lab apply` of clusters with more and more nodes: CPU time and peak memory of the whole process, lab included.
 * Usage: node bench/lab-nodes.mjs [nodes…]. Prints a table, then one line of JSON.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printTable } from './measure.mjs';

const LIMIT = { nodes: 1000, cpuSeconds: 253, peakMiB: 1200 };
const HOSTS = Array.from({ length: 10 }, (_, index) => `pve${index + 1}`);
const command = fileURLToPath(new URL('../dist/bin/oxherd.js', import.meta.url));
const asked = process.argv.slice(2).map(Number).filter(Boolean);
const sizes = asked.length > 0 ? asked : [50, 100, 300];
/** Loaded before the command: it says at its end what it took. */
const REPORT = `data:text/javascript,${encodeURIComponent(
  `process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    process.stderr.write('\\nused ' + (user + system) + ' ' + process.resourceUsage().maxRSS);
  })`,
)}`;

const configOf = (nodes) => `cluster: { name: bench, vip: 10.20.0.9, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.0.0/16, gateway: 10.20.255.254, dns: [10.20.255.254] }
defaults:
  all: { cores: 2, memory: 4GiB, disk: 10GiB }
nodes:
  cp: { role: controlplane, count: 3, hosts: [${HOSTS.join(', ')}], ip: 10.20.0.11, vmid: 10001 }
  work: { role: worker, count: ${nodes - 3}, hosts: [${HOSTS.join(', ')}], ip: 10.20.1.1, vmid: 11001 }
policy: { overcommit: { memory: true, cpuRatio: 50 } }
`;

function measure(nodes) {
  const folder = mkdtempSync(join(tmpdir(), 'oxherd-bench-'));
  try {
    writeFileSync(join(folder, 'oxherd.yaml'), configOf(nodes));
    const flags = process.env.BENCH_NODE_FLAGS?.split(' ') ?? [];
    const args = [...flags, '--import', REPORT, command, '--lab', '--json', 'apply', '--yes'];
    const begin = performance.now();
    const ended = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 30 });
    const wallMs = performance.now() - begin;
    const [, cpu, peak] = /\nused (\d+) (\d+)$/.exec(ended.stderr) ?? [];
    if (ended.status !== 0)
      throw new Error(
        `apply of ${nodes} nodes ended with ${ended.status}\n${ended.stdout.slice(-2000)}${ended.stderr}`,
      );
    return { nodes, wallMs, cpuSeconds: Number(cpu) / 1e6, peakMiB: Number(peak) / 1024 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const results = sizes.map(measure);
printTable('apply on the embedded lab', [
  ['nodes', 'wall ms', 'CPU s', 'CPU ms per node', 'peak MiB'],
  ...results.map(({ nodes, wallMs, cpuSeconds, peakMiB }) => [
    String(nodes),
    wallMs,
    cpuSeconds,
    (cpuSeconds * 1000) / nodes,
    peakMiB,
  ]),
]);
process.stdout.write(`${JSON.stringify({ bench: 'lab-nodes', limit: LIMIT, results })}\n`);
if (
  results.some(
    ({ nodes, cpuSeconds, peakMiB }) =>
      nodes <= LIMIT.nodes && (cpuSeconds > LIMIT.cpuSeconds || peakMiB > LIMIT.peakMiB),
  )
)
  process.exitCode = 1;
