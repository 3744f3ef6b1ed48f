/**
 * Plan without changes, apply and destroy of VMs and disks, lab and client in processes of their own.
 * Usage: node bench/apply.mjs [nodes…] [--set NAME…]. Prints a table, then one line of JSON.
 */
import { execFile, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { printTable } from './measure.mjs';

const SETS = { quick: { latency: 0, task: 0 }, slow: { latency: 20, task: 400 } };
const HOSTS = 3;
const numbers = process.argv.slice(2).map(Number).filter(Boolean);
const sizes = numbers.length > 0 ? numbers : [3, 10, 50, 200, 1000];
const sets = Object.entries(SETS).filter(
  ([name]) => !process.argv.includes('--set') || process.argv.includes(name),
);
const run = promisify(execFile);
const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'oxherd-bench-'));

/** Three control planes at most, the others workers with a disk volume; addresses at which nobody answers. */
function configOf(nodes) {
  const controlPlanes = Math.min(3, nodes);
  const hosts = Array.from({ length: HOSTS }, (_, index) => `pve${index + 1}`).join(', ');
  const workers = nodes - controlPlanes;
  return `cluster: { name: bench, vip: 127.20.0.9, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://127.0.0.1:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 127.20.0.0/16, gateway: 127.20.255.254, dns: [127.20.255.254] }
defaults:
  all: { cores: 2, memory: 4GiB, disk: 6GiB }
nodes:
  cp: { role: controlplane, count: ${controlPlanes}, hosts: [${hosts}], ip: 127.20.0.11, vmid: 10001 }
${workers > 0 ? `  work: { role: worker, count: ${workers}, hosts: [${hosts}], ip: 127.20.1.1, vmid: 11001 }\n` : ''}volumes:
  data: { type: disk, size: 2GiB, on: worker }
`;
}

async function startLab(file, { latency, task }) {
  const child = fork(path('lab-process.mjs'), [file, String(latency), String(task)], { stdio: 'inherit' });
  const next = () => new Promise((resolve) => child.once('message', resolve));
  const place = await next();
  return {
    place,
    async requests() {
      const answer = next();
      child.send('requests');
      return (await answer).requests;
    },
    stop: () => new Promise((resolve) => child.once('exit', resolve).disconnect()),
  };
}

async function measure(lab, file, operation) {
  const before = await lab.requests();
  const { stdout } = await run(process.execPath, [
    path('apply-client.mjs'),
    file,
    operation,
    JSON.stringify(lab.place),
  ]);
  return { ...JSON.parse(stdout), requests: (await lab.requests()) - before };
}

/** The child says itself what it used, as it ends. */
const REPORT = `data:text/javascript,${encodeURIComponent(
  `process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    console.error('\\nused', user + system, process.resourceUsage().maxRSS);
  })`,
)}`;

/** `oxherd plan` as a person types it, process start included. Nobody answers for the machines: that is unknown. */
async function measureCommand(lab, text) {
  const { endpoint, fingerprint, token } = lab.place;
  const file = join(folder, 'command.yaml');
  writeFileSync(
    file,
    text.replace(
      'endpoint: "https://127.0.0.1:8006"',
      `endpoint: "${endpoint}", fingerprint: "${fingerprint}"`,
    ),
  );
  const options = {
    cwd: folder,
    env: { ...process.env, OXHERD_PROXMOX_TOKEN: token },
    maxBuffer: 64 * 1024 * 1024,
  };
  const args = [path('../dist/bin/oxherd.js'), '-c', file, 'plan'];
  const before = await lab.requests();
  const begin = performance.now();
  await run(process.execPath, args, options);
  const wallMs = performance.now() - begin;
  const requests = (await lab.requests()) - before;
  // Again: what a process must load to report takes time of its own.
  const { stderr } = await run(process.execPath, ['--import', REPORT, ...args], options);
  const [, cpu, peak] = /\nused (\d+) (\d+)\n$/.exec(stderr) ?? [];
  return { wallMs, cpuMs: Number(cpu) / 1000, peakMiB: Number(peak) / 1024, requests };
}

/** The run in the middle of three: the first one after an apply finds a lab that is still busy. */
async function middle(measureOnce) {
  const results = [await measureOnce(), await measureOnce(), await measureOnce()];
  return results.sort((a, b) => a.wallMs - b.wallMs)[1];
}

const rows = [];
try {
  for (const [set, options] of sets) {
    for (const nodes of sizes) {
      const text = configOf(nodes);
      const file = join(folder, `${nodes}.yaml`);
      writeFileSync(file, text);
      const lab = await startLab(file, options);
      const record = (operation, result) => rows.push({ set, nodes, operation, ...result });
      record('apply', await measure(lab, file, 'apply'));
      // The cluster's own list is behind by up to ten seconds; a plan right after an apply asks the hosts instead.
      await wait(12_000);
      record('plan', await middle(() => measure(lab, file, 'plan')));
      record('command', await middle(() => measureCommand(lab, text)));
      record('destroy', await measure(lab, file, 'destroy'));
      await lab.stop();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const cell = (value) => (value === undefined ? '' : value);
for (const [set, { latency, task }] of sets) {
  printTable(`VMs and disks, ${latency} ms per request, ${task} ms per task`, [
    ['', 'wall ms', 'wall ms per node', 'CPU ms', 'CPU ms per node', 'peak MiB', 'requests', 'steps'],
    ...rows
      .filter((row) => row.set === set)
      .map(({ nodes, operation, wallMs, cpuMs, peakMiB, requests, steps }) => [
        `${operation} ${nodes}`,
        wallMs,
        wallMs / nodes,
        cell(cpuMs),
        cell(cpuMs && cpuMs / nodes),
        cell(peakMiB),
        cell(requests?.toString()),
        cell(steps?.toString()),
      ]),
  ]);
}

/** On an otherwise idle machine; `wall` in ms, `cpu` in ms, `requests` per node. */
const LIMITS = [
  { set: 'quick', operation: 'command', nodes: 3, wallMs: 300 },
  { set: 'quick', operation: 'command', nodes: 50, wallMs: 400 },
  { set: 'quick', operation: 'destroy', nodes: 50, wallMs: 3_000 },
  { set: 'quick', operation: 'plan', nodes: 1000, cpuMs: 2_500 },
  { set: 'slow', operation: 'apply', nodes: 50, wallMs: 6_000, requests: 22 * 50 },
];
const verdicts = LIMITS.flatMap(({ set, operation, nodes, ...limits }) => {
  const row = rows.find((one) => one.set === set && one.operation === operation && one.nodes === nodes);
  return Object.entries(row ? limits : {}).map(([key, limit]) => [
    `${set} ${operation} ${nodes}: ${key}`,
    row[key],
    limit,
    row[key] <= limit ? 'holds' : 'MISSED',
  ]);
});
if (verdicts.length > 0) printTable('Limits', [['', 'measured', 'limit', ''], ...verdicts]);
process.stdout.write(`${JSON.stringify({ bench: 'apply', rows })}\n`);
