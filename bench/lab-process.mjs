/**
 * A lab in a process of its own, without machines in its VMs and in real time. Started with `fork`; tells where it is,
 * and answers every message with how many requests it has had.
 * Arguments: config file, milliseconds per request, milliseconds per task (empty: as the kind of task says).
 */
import { readFileSync } from 'node:fs';
import { loadConfig } from '../.build/config/load.js';
import { startLab } from '../.build/lab/index.js';
import { labParts } from '../.build/lab/parts.js';
import { worldOf } from '../.build/session/lab/lab-world.js';

const [file, latency, task] = process.argv.slice(2);
const { config, diagnostics } = loadConfig({
  path: file,
  text: readFileSync(file, 'utf8'),
  readText: () => undefined,
});
if (!config) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
const world = worldOf(config);
const lab = await startLab({
  // With room for as many nodes as are asked for.
  world: {
    ...world,
    hosts: world.hosts.map((host) => ({ ...host, cpus: 1024, memory: 8 * 1024 ** 4 })),
    storages: world.storages.map((storage) => ({ ...storage, total: 64 * 1024 ** 4 })),
  },
  parts: labParts({ machines: false }),
  speed: 1,
  latency: Number(latency),
  taskDuration: { all: Number(task) },
});
const { endpoint, token, fingerprint } = lab;
process.send({ endpoint, token, fingerprint, factory: lab.dial('factory.talos.dev', 443) });
process.on('message', () => process.send({ requests: lab.proxmox.requests().total }));
process.on('disconnect', () => process.exit());
