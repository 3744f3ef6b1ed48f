/**
 * Requests per second of the lab's Proxmox API and the latency of one call, with 1 and with 1,000 VMs.
 * Usage: node bench/lab-proxmox.mjs [vms]. Prints a table, then one line of JSON.
 */
import { Agent, request } from 'node:https';
import { startLab } from '../.build/lab/index.js';
import { printTable } from './measure.mjs';

const many = Number(process.argv[2] ?? 1000);
const PARALLEL = 8;

const lab = await startLab({ speed: 10_000 });
const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });

function call(method, path, params = {}) {
  const form = new URLSearchParams(params).toString();
  const body = method === 'GET' ? undefined : form;
  const headers = {
    authorization: `PVEAPIToken=${lab.token}`,
    ...(body ? { 'content-length': Buffer.byteLength(body) } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${lab.endpoint}/api2/json${path}`,
      { method, headers, agent, ca: lab.authority },
      (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${response.statusMessage}`));
        });
      },
    );
    sent.on('error', reject).end(body);
  });
}

/** Seconds that `count` calls take, `parallel` of them at a time. */
async function time(count, parallel, work) {
  let next = 0;
  const begin = performance.now();
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return (performance.now() - begin) / 1000;
}

const CALLS = [
  ['GET /version', 1000, '/version'],
  ['GET config', 1000, '/nodes/pve1/qemu/100/config'],
  ['GET cluster/resources', 50, '/cluster/resources?type=vm'],
];

const result = {};
let made = 0;
for (const vms of [1, many]) {
  const missing = vms - made;
  const seconds = await time(missing, PARALLEL, (number) =>
    call('POST', '/nodes/pve1/qemu', {
      vmid: 100 + made + number,
      name: `vm-${made + number}`,
      memory: 2048,
      scsi0: 'local-zfs:10',
      net0: 'virtio,bridge=vmbr0',
    }),
  );
  if (missing > 1) result['POST qemu'] = { perSecond: missing / seconds };
  made = vms;
  await lab.clock.sleep(60_000);
  for (const [name, count, path] of CALLS) {
    const alone = await time(count, 1, () => call('GET', path));
    const together = await time(count, PARALLEL, () => call('GET', path));
    result[`${name}, ${vms} VMs`] = { latencyMs: (alone / count) * 1000, perSecond: count / together };
  }
}

const cell = (value) => (value === undefined ? '' : value);
printTable('The lab’s Proxmox API', [
  ['call', 'latency ms', `requests/s (${PARALLEL} at a time)`],
  ...Object.entries(result).map(([name, { latencyMs, perSecond }]) => [
    name,
    cell(latencyMs),
    cell(perSecond),
  ]),
]);
process.stdout.write(`${JSON.stringify(result)}\n`);
agent.destroy();
await lab.stop();
