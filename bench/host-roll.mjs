/**
 * `oxherd host roll` of three hosts on the embedded lab, with local disks: how long it takes with more nodes.
 * Usage: node bench/host-roll.mjs [workers…]. Prints a table, then one line of JSON. Growth is judged by CPU time, which
 * other work on the machine does not change.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printTable } from './measure.mjs';

/** CPU time per node with the most nodes, against that with the fewest. */
const LIMIT = 1.5;
const command = fileURLToPath(new URL('../dist/bin/oxherd.js', import.meta.url));
const asked = process.argv.slice(2).map(Number).filter(Boolean);
const sizes = asked.length > 0 ? asked : [3, 9, 18];
/** Loaded before the command: it says at its end what it took. */
const TELLS_CPU = `data:text/javascript,${encodeURIComponent(
  'process.on("exit", () => { const { user, system } = process.cpuUsage(); process.stderr.write("cpu-ms " + Math.round((user + system) / 1000)); })',
)}`;
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
    const run = (...args) => {
      const ended = spawnSync(process.execPath, ['--import', TELLS_CPU, command, '--lab', ...args], {
        cwd: folder,
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
      });
      if (ended.status !== 0)
        throw new Error(`${args.join(' ')} ended with ${ended.status}\n${ended.stderr}`);
      return { stdout: ended.stdout, cpu: Number(/cpu-ms (\d+)/.exec(ended.stderr)?.[1]) };
    };
    run('apply', '--yes');
    const begin = performance.now();
    const { stdout, cpu } = run('--json', 'host', 'roll', ...HOSTS, '--yes', '--for', '8h');
    const milliseconds = performance.now() - begin;
    const steps = stdout.split('\n').filter((line) => line.includes('"type":"step-done"')).length;
    return { nodes: workers + 3, milliseconds, cpu, steps };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const results = sizes.map(measure);
printTable('host roll of three hosts', [
  ['nodes', 'steps', 'steps per node', 'wall ms', 'CPU ms', 'CPU ms per node'],
  ...results.map(({ nodes, steps, milliseconds, cpu }) => [
    String(nodes),
    String(steps),
    steps / nodes,
    milliseconds,
    cpu,
    cpu / nodes,
  ]),
]);
process.stdout.write(`${JSON.stringify({ hostRoll: results })}\n`);
const perNode = results.map(({ nodes, cpu }) => cpu / nodes);
if (results.length > 1 && perNode.at(-1) > perNode[0] * LIMIT) process.exitCode = 1;
