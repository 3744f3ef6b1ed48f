/**
 * What a fleet stands on, in a process of its own: its sites. Some clusters of six nodes are built on a lab; every site then answers
 * for Proxmox from what the lab answered once, as if there were more VMs of others, and counts who asks. Machines and their
 * Kubernetes API are those of the lab. Started with `fork`; arguments: folder in which the lab is kept, number of clusters, most sites.
 * Answers every message with the requests of each site in each second since the last one.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import { join } from 'node:path';
import { clusterTag } from '../../.build/formats/marks/cluster-names.js';
import { labParts, startLab } from '../../.build/lab/index.js';
import { createAuthority, issue } from '../../.build/lab/kubernetes/certificates.js';
import { folderState } from '../../.build/lab/state.js';
import { generateSecrets } from '../../.build/secrets/generate.js';
import { formatTalosSecrets } from '../../.build/secrets/talos-secrets.js';
import { readConfigFile } from '../../.build/session/config/config-file.js';
import { leasesOf, worldOf } from '../../.build/session/lab/lab-world.js';
import { openSession } from '../../.build/session/session.js';
import { configOf } from './config.mjs';

const [root = '', ...numbers] = process.argv.slice(2);
const [perSite, count] = numbers.map(Number);
/** A long RSA key takes a second to make, and none of what is measured. */
async function newSecrets() {
  const random = (length) => randomBytes(length);
  return formatTalosSecrets(await generateSecrets({ now: new Date(), random, rsaBits: 2048 }));
}

const clusters = [];
for (let index = 0; index < perSite; index += 1) {
  const folder = join(root, String(index));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'oxherd.yaml'), configOf(index, 2));
  const file = join(folder, 'secrets.yaml');
  const isBuilt = existsSync(file);
  if (!isBuilt) writeFileSync(file, await newSecrets(), { mode: 0o600 });
  clusters.push({
    folder,
    loaded: readConfigFile('oxherd.yaml', folder),
    secrets: readFileSync(file, 'utf8'),
    isBuilt,
  });
}
const configs = clusters.map(({ loaded }) => loaded.config);
const world = worldOf(configs[0]);
const lab = await startLab({
  state: await folderState(join(root, 'lab')),
  // Room for all of them.
  world: { ...world, hosts: world.hosts.map((host) => ({ ...host, cpus: 512, memory: 2 ** 41 })) },
  parts: labParts({ leases: Object.assign({}, ...configs.map(leasesOf)) }),
});

const place = {
  connection: {
    endpoints: [lab.endpoint],
    token: lab.token,
    tls: { kind: 'fingerprint', sha256: lab.fingerprint },
  },
  clock: lab.clock,
  dial: (ip, port) => lab.dial(ip, port),
  close: async () => {},
};
for (const { folder, loaded, secrets, isBuilt } of clusters) {
  const session = await openSession(
    loaded,
    { kind: 'lab', open: async () => place },
    { cwd: folder, clientFiles: false, secrets: { text: secrets, where: 'the measurement' } },
  );
  if (!isBuilt) {
    const run = session.apply(await session.plan(), { command: 'bench' });
    const { outcome } = await run.result;
    if (outcome !== 'done') throw new Error(`the cluster was not built: ${outcome}`);
  }
  const left = await session.plan();
  if (left.plan.steps.length > 0) throw new Error(`the plan is not empty: ${left.plan.steps[0].id}`);
  await session.close();
}

/** VMs of that many other clusters are on each site: copies of those of the first with other ids, tags and disks. */
const OTHERS = 10;
const tag = clusterTag(configs[0].cluster);
const APART = 1_000_000;

/** What the lab said once is what every site says from then on. */
const stored = new Map();
function answerOf(path) {
  const answer = stored.get(path) ?? made(path);
  stored.set(path, answer);
  return answer;
}

async function made(path) {
  const { status, body } = await askLab(
    path.replace(/(?<=\/qemu\/)\d+/, (vmid) => String(Number(vmid) % APART)),
  );
  const other = /\/qemu\/(\d{7,})\//.exec(path)?.[1];
  if (other !== undefined) {
    const shift = Number(other) - (Number(other) % APART);
    const text = body.toString().replaceAll(/vm-(\d+)-/g, (_, vmid) => `vm-${Number(vmid) + shift}-`);
    return {
      status,
      body: Buffer.from(text.replaceAll(/wwn=0x\w+/g, `wwn=0x5000c500${other.padStart(8, '0')}`)),
    };
  }
  if (!path.includes('/cluster/resources')) return { status, body };
  const { data } = JSON.parse(body);
  const copies = Array.from({ length: OTHERS }, (_, index) =>
    data
      .filter(({ type, tags = '' }) => type === 'qemu' && tags.split(';').includes(tag))
      .map((row) => {
        const vmid = row.vmid + APART * (index + 1);
        return {
          ...row,
          vmid,
          id: `qemu/${vmid}`,
          name: `other-${vmid}`,
          tags: `other-${index}`,
          maxmem: 2 ** 28,
          maxcpu: 0.1,
        };
      }),
  );
  return { status, body: Buffer.from(JSON.stringify({ data: [...data, ...copies.flat()] })) };
}

function askLab(path) {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${lab.endpoint}${path}`,
      { ca: lab.authority, headers: { authorization: `PVEAPIToken=${lab.token}` } },
      (response) => {
        const pieces = [];
        response.on('data', (piece) => pieces.push(piece));
        response.on('end', () => resolve({ status: response.statusCode, body: Buffer.concat(pieces) }));
      },
    );
    asked.on('error', reject).end();
  });
}

/** The hosts of each site have certificates of their own. */
function ownHosts(body, site) {
  const mark = site.toString(16).padStart(2, '0').toUpperCase();
  return Buffer.from(body.toString().replaceAll(/(?<="ssl_fingerprint":")../g, mark));
}

/** Site → second → requests. */
const counts = Array.from({ length: count }, () => new Map());
const authority = await createAuthority('sites');
const { certificate, key } = await issue(authority, {
  commonName: 'pveproxy',
  addresses: ['127.0.0.1'],
  usage: 'server',
});
const sites = await Promise.all(
  counts.map(async (own, site) => {
    const server = createServer({ cert: certificate, key }, async (asked, response) => {
      const second = Math.floor(Date.now() / 1_000);
      own.set(second, (own.get(second) ?? 0) + 1);
      if (asked.method !== 'GET') throw new Error(`${asked.method} ${asked.url}: nothing may be written`);
      const { status, body: said } = await answerOf(asked.url);
      const body = asked.url.endsWith('/nodes') ? ownHosts(said, site) : said;
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
      response.end(body);
    });
    server.keepAliveTimeout = 5_000;
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `https://127.0.0.1:${server.address().port}`;
  }),
);

const dials = {};
for (const ip of configs.flatMap(({ cluster, nodes }) => [cluster.vip, ...nodes.map((node) => node.ip)]))
  for (const port of [6443, 50_000]) dials[`${ip}:${port}`] = lab.dial(ip, port);
dials['factory.talos.dev:443'] = lab.dial('factory.talos.dev', 443);
process.send({
  sites,
  sitesAuthority: authority.certificate,
  token: lab.token,
  dials,
  now: lab.clock.now(),
  secrets: clusters.map((one) => one.secrets),
});
process.on('message', () => {
  const seen = counts.map((own) => [...own.values()]);
  for (const own of counts) own.clear();
  process.send({ perSecond: seen, cpu: process.cpuUsage(), lab: lab.proxmox.requests().total });
});
process.on('disconnect', () => process.exit());
