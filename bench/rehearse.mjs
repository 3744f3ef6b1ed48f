/**
 * A Talos upgrade of many nodes rehearsed on a twin, and faults tried on a small cluster.
 * Usage: node bench/rehearse.mjs [workers…]. Prints a table, then one line of JSON.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printTable } from './measure.mjs';

/** A rehearsal of 50 nodes. */
const LIMITS = { seconds: 60, mebibytes: 500, casesPerSecond: 2 };
const CHAOS_SECONDS = 30;
/** The last line on stderr is the peak of the process in KiB. */
const TELLS_MEMORY = [
  '--import',
  "data:text/javascript,process.on('exit',()=>process.stderr.write('\\n'+process.resourceUsage().maxRSS))",
];
const command = fileURLToPath(new URL('../dist/bin/oxherd.js', import.meta.url));
const asked = process.argv.slice(2).map(Number).filter(Boolean);
const sizes = asked.length > 0 ? asked : [2, 47];
const HOSTS = ['pve1', 'pve2', 'pve3'];

const configOf = (workers, talos) => `cluster: { name: bench, vip: 10.20.30.40, kubernetes: v1.36.0 }
talos: { version: ${talos} }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
defaults:
  all: { cores: 2, memory: 2GiB, disk: 6GiB }
nodes:
  cp: { role: controlplane, count: 3, hosts: [${HOSTS.join(', ')}], ip: 10.20.30.41, vmid: 141 }
  work: { role: worker, count: ${workers}, hosts: [${HOSTS.join(', ')}], ip: 10.20.30.51, vmid: 151 }
`;

function measure(workers) {
  const folder = mkdtempSync(join(tmpdir(), 'oxherd-bench-'));
  const options = { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1024 ** 3 };
  const write = (talos) => writeFileSync(join(folder, 'oxherd.yaml'), configOf(workers, talos));
  try {
    write('v1.14.1');
    execFileSync(process.execPath, [command, '--lab', 'apply', '--yes'], options);
    write('v1.14.2');
    const begin = performance.now();
    const timed = spawnSync(process.execPath, [...TELLS_MEMORY, command, '--lab', '--json', 'rehearse'], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const seconds = (performance.now() - begin) / 1_000;
    const { rehearsal } = JSON.parse(timed.stdout.toString());
    if (rehearsal.outcome !== 'done' || rehearsal.broken.length > 0)
      throw new Error(JSON.stringify(rehearsal.broken));
    const mebibytes = Math.round(Number(timed.stderr.toString().trim().split('\n').at(-1)) / 1_024);
    const cases = workers <= 3 ? chaosOf(options) : undefined;
    return { nodes: workers + 3, seconds, mebibytes, steps: rehearsal.steps.length, ...(cases && { cases }) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Cases a second, without what goes before the first. */
function chaosOf(options) {
  const args = ['--lab', '--json', 'rehearse', '--chaos', '--budget', `${CHAOS_SECONDS}s`];
  // Exit 1 says that a case was unsafe: counted, not hidden.
  const { chaos } = JSON.parse(spawnSync(process.execPath, [command, ...args], options).stdout.toString());
  const unsafe = chaos.tried.filter(({ verdict }) => verdict === 'UNSAFE').length;
  return {
    tried: chaos.tried.length,
    of: chaos.cases,
    unsafe,
    perSecond: chaos.tried.length / CHAOS_SECONDS,
  };
}

const results = sizes.map(measure);
printTable('rehearsal of a Talos upgrade', [
  ['nodes', 'steps', 'seconds', 'MiB'],
  ...results.map(({ nodes, steps, seconds, mebibytes }) => [
    String(nodes),
    String(steps),
    seconds,
    String(mebibytes),
  ]),
]);
process.stdout.write(`${JSON.stringify({ rehearsal: results, limits: LIMITS })}\n`);
const within = ({ seconds, mebibytes, cases }) =>
  seconds <= LIMITS.seconds &&
  mebibytes <= LIMITS.mebibytes &&
  (cases === undefined || cases.perSecond >= LIMITS.casesPerSecond);
if (!results.every(within)) process.exitCode = 1;
