/** One replica of the controller, whose sessions work on the sites of the world. Started with `fork`; argument: file with JSON. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { runReplica } from '../../.build/controller/main.js';

const { identity, kubeconfig, workFolder, world, namespaces, now } = JSON.parse(
  readFileSync(process.argv[2], 'utf8'),
);
const begun = performance.now();
/** The lab's time stands; pauses are those of the wall. */
const clock = {
  now: () => now,
  elapsed: () => performance.now() - begun,
  sleep: (ms, signal) => pause(ms, undefined, { signal }),
};
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
process.on('disconnect', () => process.exit());
let ready = 0;
await runReplica({
  cwd: workFolder,
  env: {},
  kubeconfig,
  namespace: 'oxherd-system',
  namespaces,
  identity,
  workFolder,
  target: {
    kind: 'lab',
    open: async ({ proxmox: { endpoints } }) => ({
      connection: { endpoints, token: world.token, tls: { kind: 'ca', pem: world.sitesAuthority } },
      clock,
      dial: (ip, port) => world.dials[`${ip}:${port}`],
      close: async () => {},
    }),
  },
  leaseMs: 15_000,
  healthPort: 0,
  metricsPort: 0,
  host: '127.0.0.1',
  write: (line) => {
    if (line.includes('"level":"error"')) process.stderr.write(line);
    if (ready === 0 && line.includes('"ports"')) {
      ready = 1;
      process.send({ ports: JSON.parse(line).ports });
    }
  },
  signal: stop.signal,
});
process.exit();
