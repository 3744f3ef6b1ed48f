/**
 * Our Proxmox client against the lab in a process of its own: latency and CPU of one call, calls per second,
 * connections, with 1 and with 1,000 VMs. Usage: node bench/proxmox.mjs [vms]
 * Prints a table, then one line of JSON.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectProxmox } from '../.build/clients/proxmox/index.js';
import { printTable } from './measure.mjs';

const many = Number(process.argv[2] ?? 1000);
const SPEED = 1000;
const folder = mkdtempSync(join(tmpdir(), 'oxherd-bench-'));
const readyFile = join(folder, 'ready.json');
const main = fileURLToPath(new URL('../dist/bin/oxherd.js', import.meta.url));
const lab = spawn(
  process.execPath,
  [
    main,
    'lab',
    'serve',
    '--port',
    '0',
    '--state',
    join(folder, 'state'),
    '--speed',
    String(SPEED),
    '--ready-file',
    readyFile,
  ],
  { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder },
);

async function ready() {
  for (let tries = 0; tries < 300; tries += 1) {
    if (existsSync(readyFile)) {
      const text = readFileSync(readyFile, 'utf8');
      if (text.endsWith('}') || text.endsWith('}\n')) return JSON.parse(text);
    }
    if (lab.exitCode !== null) throw new Error(`lab serve ended with ${lab.exitCode}`);
    await wait(100);
  }
  throw new Error('lab serve is not ready after 30 s');
}

/** Wall and CPU of this process for `count` calls, all asked for at once or one after the other. */
async function measure(count, together, work) {
  const cpu = process.cpuUsage();
  const begin = performance.now();
  if (together) await Promise.all(Array.from({ length: count }, work));
  else for (let done = 0; done < count; done += 1) await work();
  const wallMs = performance.now() - begin;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

const result = {};
try {
  const { endpoint, token, fingerprint } = await ready();
  let connections = 0;
  const client = connectProxmox({
    endpoints: [endpoint],
    token,
    tls: { kind: 'fingerprint', sha256: fingerprint },
    clock: { now: () => Date.now(), sleep: (ms) => wait(ms / SPEED) },
    random: Math.random,
    onConnect: () => {
      connections += 1;
    },
  });
  const calls = {
    'version()': [1000, () => client.version()],
    'vmPending()': [1000, () => client.vmPending('pve1', 100)],
    'vms()': [50, () => client.vms()],
  };
  let made = 0;
  for (const vms of [1, many]) {
    const numbers = Array.from({ length: vms - made }, (_, index) => 100 + made + index);
    await Promise.all(
      numbers.map((vmid) =>
        client.runTask(() =>
          client.createVm('pve1', vmid, {
            name: `vm-${vmid}`,
            scsi0: 'local-zfs:10',
            net0: 'virtio,bridge=vmbr0',
          }),
        ),
      ),
    );
    made = vms;
    for (const [name, [count, work]] of Object.entries(calls)) {
      await measure(Math.min(count, 20), false, work);
      const alone = await measure(count, false, work);
      connections = 0;
      const together = await measure(count, true, work);
      result[`${name}, ${vms} VMs`] = {
        latencyMs: alone.wallMs / count,
        perSecond: (count / together.wallMs) * 1000,
        clientCpuMs: together.cpuMs / count,
        newConnections: connections,
      };
    }
  }
  await client.close();
} finally {
  lab.kill();
  await new Promise((resolve) =>
    lab.exitCode === null && lab.signalCode === null ? lab.once('close', resolve) : resolve(),
  );
  rmSync(folder, { recursive: true, force: true });
}

printTable('The Proxmox client, the lab in another process', [
  ['call', 'latency ms', 'calls/s', 'client CPU ms', 'new connections'],
  ...Object.entries(result).map(([name, { newConnections, ...figures }]) => [
    name,
    ...Object.values(figures),
    String(newConnections),
  ]),
]);
process.stdout.write(`${JSON.stringify({ bench: 'proxmox', ...result })}\n`);
