/**
 * Three replicas of the fleet controller with 100 and with 1,000 clusters of 6 nodes, 20 to a site, in a steady state: CPU time and
 * memory of the replicas together, how long a changed config takes to its plan, and what each site is asked.
 * Usage: node bench/fleet.mjs [clusters…] [--interval SECONDS] [--seconds SECONDS] [--keep FOLDER]. What is measured begins one
 * interval after the start, and takes another one, or so many seconds. The lab with the built clusters is kept in the folder,
 * for the next run. The interval is 600 s; with a shorter one each cluster is looked at
 * more often, and what a replica costs for 600 s is computed from the CPU time of one look: `100 --interval 60` has the load per
 * second of 1,000 clusters. Prints a table, then one line of JSON.
 */
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectKubernetes } from '../.build/clients/kubernetes/client.js';
import { NAMESPACES, SECRETS } from '../.build/clients/kubernetes/resources.js';
import { customResourceDefinitions } from '../.build/controller/api/definitions.js';
import { API_VERSION, CLUSTERS, SITES } from '../.build/controller/api/group.js';
import { wallClock } from '../.build/session/connect/wall-clock.js';
import { configOf } from './fleet/config.mjs';
import { printTable } from './measure.mjs';

const LIMITS = { cores: 1, mebibytes: 600, planSeconds: 30, growth: 1.5 };
const REPLICAS = 3;
const PER_SITE = 20;
const INTERVAL = 600;
const CHANGES = 100;
/** As the deployment of the chart starts it. */
const NODE_OPTIONS = ['--max-semi-space-size=4'];
const OWN = 'oxherd-system';
const TEAM = 'team-a';

const args = process.argv.slice(2);
/** The value of an option, which is taken out of the arguments. */
const option = (name) => {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
};
const interval = Number(option('--interval') ?? INTERVAL);
const kept = option('--keep');
/** How long the steady state is measured. */
const seconds = Number(option('--seconds') ?? interval);
const asked = args.map(Number).filter(Boolean);
const sizes = asked.length > 0 ? asked : [100, 1_000];

const nameOf = (index) => `c${String(index).padStart(4, '0')}`;
const answer = (child, message) =>
  new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`a process ended with ${code}`)));
    if (message !== undefined) child.send(message);
  });
const start = (name, ...rest) =>
  fork(fileURLToPath(new URL(`fleet/${name}.mjs`, import.meta.url)), rest, {
    execArgv: name === 'replica' ? NODE_OPTIONS : [],
  });

async function install(client, world, clusters) {
  for (const definition of customResourceDefinitions()) await client.apply(definition, { force: true });
  for (const name of [OWN, TEAM])
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const secret = (name, namespace, stringData) =>
    client.create(
      SECRETS,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData },
      namespace,
    );
  await secret('site', OWN, { token: world.token });
  for (const [index, text] of world.secrets.entries())
    await secret(`secrets-${index}`, TEAM, { 'secrets.yaml': text });
  const sites = world.sites.slice(0, Math.ceil(clusters / PER_SITE));
  for (const [index, endpoint] of sites.entries())
    await client.create(SITES, {
      apiVersion: API_VERSION,
      kind: SITES.kind,
      metadata: { name: `site-${index}` },
      spec: {
        endpoints: [endpoint],
        ca: world.sitesAuthority,
        tokenSecretRef: { name: 'site' },
        allowedNamespaces: [TEAM],
      },
    });
  for (let index = 0; index < clusters; index += 1) {
    await setMemory(client, index, 2);
    await client.create(
      CLUSTERS,
      {
        apiVersion: API_VERSION,
        kind: CLUSTERS.kind,
        metadata: { name: nameOf(index), namespace: TEAM },
        spec: {
          source: { configMap: { name: nameOf(index) } },
          siteRef: { name: `site-${Math.floor(index / PER_SITE)}` },
          secretsRef: { name: `secrets-${index % PER_SITE}` },
          interval: `${interval}s`,
        },
      },
      TEAM,
    );
  }
}

const setMemory = (client, index, gibibytes) =>
  client.apply(
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: nameOf(index), namespace: TEAM },
      data: { 'oxherd.yaml': configOf(index % PER_SITE, gibibytes) },
    },
    { force: true },
  );

/** Follows the objects: which clusters are ready, and when each had its plan. */
function follow(client, signal) {
  const ready = new Set();
  const planned = new Map();
  const see = ({ metadata, status = {} }) => {
    const { conditions = [], plan } = status;
    if (conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True'))
      ready.add(metadata.name);
    if (plan && !planned.has(metadata.name)) planned.set(metadata.name, performance.now());
  };
  const ended = (async () => {
    for await (const event of client.watch(CLUSTERS, { namespace: TEAM, signal })) {
      if (event.type === 'LISTED') event.items.forEach(see);
      else see(event.object);
    }
  })();
  return { ready, planned, ended };
}

/** Of one process, by the kernel: CPU seconds, resident and most resident MiB. */
function usageOf({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return {
    cpu: (Number(fields[11]) + Number(fields[12])) / 100,
    resident: kilobytes('VmRSS') / 1024,
    most: kilobytes('VmHWM') / 1024,
  };
}

const sum = (values) => values.reduce((total, value) => total + value, 0);

async function reconciles(ports) {
  const texts = await Promise.all(
    ports.map(async ([, port]) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
  );
  return sum(
    texts.map((text) =>
      Number(/^oxherd_reconcile_seconds_count{kind="cluster"} (\d+)/m.exec(text)?.[1] ?? 0),
    ),
  );
}

async function measure(worldProcess, world, clusters) {
  const folder = mkdtempSync(join(tmpdir(), 'oxherd-bench-'));
  const children = [];
  const watching = new AbortController();
  try {
    const managementProcess = start('management');
    children.push(managementProcess);
    const management = await answer(managementProcess);
    const { endpoint, ca, token } = management;
    const client = connectKubernetes({
      clock: wallClock,
      endpoints: [endpoint],
      credentials: { ca, token: () => token },
    });
    await install(client, world, clusters);
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf(management));
    const seen = follow(client, watching.signal);
    const replicas = Array.from({ length: REPLICAS }, (_, index) => {
      const workFolder = join(folder, `replica-${index}`);
      mkdirSync(workFolder);
      const options = {
        identity: `replica-${index}`,
        kubeconfig,
        workFolder,
        world: { token: world.token, sitesAuthority: world.sitesAuthority, dials: world.dials },
        namespaces: [TEAM],
        now: world.now,
      };
      const file = join(workFolder, 'options.json');
      writeFileSync(file, JSON.stringify(options), { mode: 0o600 });
      return start('replica', file);
    });
    children.push(...replicas);
    const ports = (await Promise.all(replicas.map((one) => answer(one)))).map((one) => one.ports);
    const begun = performance.now();
    while (seen.ready.size < clusters) await pause(500);
    const firstSeconds = (performance.now() - begun) / 1_000;
    const firstCpu = sum(replicas.map((one) => usageOf(one).cpu));
    const first = { seconds: firstSeconds, cpu: firstCpu, looks: await reconciles(ports) };
    process.stderr.write(`${clusters} clusters observed: ${JSON.stringify(first)}\n`);
    // From then on looks come evenly.
    await pause(Math.max(0, begun + interval * 1_000 - performance.now()));
    first.looks = await reconciles(ports);
    await answer(worldProcess, 'counts');
    const steady = await steadyState({ client, clusters, replicas, ports, seen, first });
    const { perSecond } = await answer(worldProcess, 'counts');
    watching.abort();
    await seen.ended.catch(() => undefined);
    await client.close();
    return { clusters, first, ...steady, mostPerSecond: Math.max(...perSecond.flat()) };
  } finally {
    watching.abort();
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Configs are changed all the while. */
async function steadyState({ client, clusters, replicas, ports, seen, first }) {
  const before = replicas.map(usageOf);
  const begun = performance.now();
  const looksBefore = first.looks;
  const changes = Math.min(CHANGES, clusters);
  const changed = new Map();
  const residents = [];
  const step = (seconds * 1_000) / changes;
  for (let index = 0; index < changes; index += 1) {
    const cluster = Math.floor((index * clusters) / changes);
    changed.set(nameOf(cluster), performance.now());
    await setMemory(client, cluster, 3);
    residents.push(sum(replicas.map((one) => usageOf(one).resident)));
    await pause(Math.max(0, begun + (index + 1) * step - performance.now()));
  }
  const took = (performance.now() - begun) / 1_000;
  const after = replicas.map(usageOf);
  const looks = (await reconciles(ports)) - looksBefore;
  const cpu = sum(after.map((one, index) => one.cpu - before[index].cpu));
  // The last changes have their time, too.
  const deadline = performance.now() + LIMITS.planSeconds * 1_000;
  while (performance.now() < deadline && [...changed.keys()].some((name) => !seen.planned.has(name)))
    await pause(500);
  const waits = [...changed].map(
    ([name, since]) => ((seen.planned.get(name) ?? Number.POSITIVE_INFINITY) - since) / 1_000,
  );
  return {
    seconds: took,
    looks,
    cpu,
    cores: cpu / took,
    cpuPerLook: cpu / looks,
    /** Of one interval of 600 s, all looks and all that goes on without them. */
    coresAtInterval: interval === INTERVAL ? cpu / took : (cpu / looks) * (clusters / INTERVAL),
    resident: Math.max(...residents),
    most: sum(after.map(({ most }) => most)),
    planP99: waits.sort((a, b) => a - b)[Math.ceil(waits.length * 0.99) - 1],
    planMedian: waits[Math.floor(waits.length / 2)],
  };
}

function kubeconfigOf({ endpoint, ca, token }) {
  const data = Buffer.from(ca).toString('base64');
  return `apiVersion: v1
kind: Config
current-context: fleet
clusters: [{ name: fleet, cluster: { server: "${endpoint}", certificate-authority-data: ${data} } }]
users: [{ name: fleet, user: { token: ${token} } }]
contexts: [{ name: fleet, context: { cluster: fleet, user: fleet } }]
`;
}

const keep = kept ?? mkdtempSync(join(tmpdir(), 'oxherd-bench-world-'));
const most = Math.ceil(Math.max(...sizes) / PER_SITE);
const worldProcess = start('world', keep, String(PER_SITE), String(most));
const world = await answer(worldProcess);
process.stderr.write(`${PER_SITE} clusters built\n`);
const results = [];
for (const clusters of sizes) results.push(await measure(worldProcess, world, clusters));
printTable(`three replicas, every cluster looked at every ${interval} s`, [
  [
    'clusters',
    'looks',
    'CPU s',
    'cores',
    'CPU ms/look',
    'RSS MiB',
    'plan p50 s',
    'p99 s',
    'most requests/s of a site',
  ],
  ...results.map((one) => [
    String(one.clusters),
    String(one.looks),
    one.cpu,
    one.coresAtInterval.toFixed(3),
    one.cpuPerLook * 1_000,
    one.resident,
    one.planMedian,
    one.planP99,
    String(one.mostPerSecond),
  ]),
]);
process.stdout.write(`${JSON.stringify({ fleet: results })}\n`);
const perCluster = results.map(({ cpu, looks }) => cpu / looks);
const worst = results.at(-1);
if (
  worst.coresAtInterval > LIMITS.cores ||
  worst.resident > LIMITS.mebibytes ||
  worst.planP99 > LIMITS.planSeconds ||
  perCluster.at(-1) > perCluster[0] * LIMITS.growth
)
  process.exitCode = 1;
if (kept === undefined) rmSync(keep, { recursive: true, force: true });
process.exit();
