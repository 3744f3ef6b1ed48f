/**
 * CPU time from text to design for a large cluster. Usage: node bench/design.mjs [nodes]
 * Prints a table, then one line of JSON. Exits 1 where the limit is passed.
 */
import { loadConfig } from '../.build/config/load.js';
import { design } from '../.build/design/design-cluster.js';
import { cpuTime, printTable } from './measure.mjs';

const count = Number(process.argv[2] ?? 1000);
const LIMIT_MS = 1000;

/** 5 control planes, the rest workers, with what a real file has: groups, defaults, volumes, own nodes. */
function clusterText(nodes) {
  const workers = nodes - 5;
  const single = Math.min(100, workers);
  const grouped = workers - single;
  const lines = [
    'cluster: { name: bench, env: dev, vip: 10.20.0.9, kubernetes: v1.36.0 }',
    'talos:',
    '  version: v1.14.1',
    '  schematic: { customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent] } } }',
    'proxmox: { endpoint: "https://pve1.lan:8006", cluster: bench, token: "env:OXHERD_PROXMOX_TOKEN" }',
    'network: { subnet: 10.20.0.0/16, gateway: 10.20.0.1, dns: [10.20.0.1] }',
    'nodes:',
    '  cp: { role: controlplane, count: 5, hosts: [pve1, pve2, pve3], ip: 10.20.1.1, vmid: 10001 }',
  ];
  if (grouped > 0) {
    lines.push(
      `  work: { role: worker, count: ${grouped}, hosts: [pve1, pve2, pve3], ip: 10.20.2.1, vmid: 20001, memory: 16GiB }`,
    );
  }
  for (let index = 1; index <= single; index += 1) {
    lines.push(
      `  own-${index}: { role: worker, host: pve${(index % 3) + 1}, ip: 10.20.100.${index}, vmid: ${30000 + index}, cores: 8 }`,
    );
  }
  lines.push(
    'volumes:',
    '  longhorn: { type: disk, size: 50GiB, on: worker }',
    '  logs: { type: directory, on: all }',
    '',
  );
  return lines.join('\n');
}

const text = clusterText(count);
const readText = () => undefined;

function run() {
  const loaded = cpuTime(() => loadConfig({ path: 'bench.yaml', text, readText }));
  const { config, diagnostics } = loaded.result;
  if (!config) throw new Error(diagnostics.map((each) => each.message).join('\n'));
  const designed = cpuTime(() => design(config));
  if (designed.result.nodes.length !== count)
    throw new Error(`designed ${designed.result.nodes.length} nodes`);
  return { validate: loaded.milliseconds, design: designed.milliseconds };
}

const first = run();
const later = Array.from({ length: 4 }, run);
const best = (key) => Math.min(...later.map((each) => each[key]));
const total = first.validate + first.design;
printTable(`validate + design, ${count} nodes, CPU ms`, [
  ['', 'first run', 'best of 4 more'],
  ['validate', first.validate, best('validate')],
  ['design', first.design, best('design')],
  ['together', total, best('validate') + best('design')],
]);
process.stdout.write(
  `${JSON.stringify({ bench: 'design', nodes: count, validateMs: first.validate, designMs: first.design, totalMs: total, limitMs: LIMIT_MS })}\n`,
);
if (count <= 1000 && total > LIMIT_MS) {
  process.stderr.write(
    `validate + design took ${Math.round(total)} ms of CPU; the limit is ${LIMIT_MS} ms\n`,
  );
  process.exitCode = 1;
}
