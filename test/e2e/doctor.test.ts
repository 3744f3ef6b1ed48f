/** `oxherd doctor` as a user runs it, on a Proxmox (the lab) with something wrong. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { runApp } from '../../src/cli/app.js';
import { connectProxmox, type ProxmoxClient } from '../../src/clients/proxmox/index.js';
import { type Lab, startLab } from '../../src/lab/index.js';
import { memoryState } from '../../src/lab/state.js';
import { DEFAULT_STORAGES, defaultBridge, type LabWorld } from '../../src/lab/world.js';
import { PROVISIONER_PRIVILEGES } from '../support/provisioner-privileges.js';

const HOSTS = ['pve1', 'pve2'];
const WORLD: LabWorld = {
  hosts: HOSTS.map((name, index) => ({ name, bridges: [defaultBridge(index)] })),
  storages: DEFAULT_STORAGES,
};

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'oxherd-doctor-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

/** A Proxmox with the wall's time, as real ones have it. */
async function proxmox(world = WORLD, time = Date.now()): Promise<Lab> {
  const state = memoryState();
  state.store.table<number>('lab').put('time', time);
  const lab = await startLab({ state, world, speed: 1 });
  onTestFinished(() => lab.stop());
  return lab;
}

function config(proxmoxKeys: string, nodeKeys = ''): string {
  return `cluster: { name: small, kubernetes: v1.36.0, vip: 10.20.30.40 }
talos: { version: v1.14.1 }
proxmox: { cluster: rack, token: "env:TOKEN", ${proxmoxKeys} }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
nodes:
  cp: { role: controlplane, count: 2, hosts: [pve1, pve2], ip: 10.20.30.41, vmid: 141${nodeKeys} }
`;
}

const report = z.object({
  checks: z.array(
    z.object({
      group: z.string(),
      result: z.enum(['ok', 'warn', 'fail']),
      text: z.string(),
      fix: z.array(z.string()).optional(),
    }),
  ),
  summary: z.object({ ok: z.number(), warn: z.number(), fail: z.number() }),
});

interface Outcome {
  readonly code: number;
  readonly output: string;
}

async function doctor(text: string, token: string, args: readonly string[] = []): Promise<Outcome> {
  const cwd = folder();
  writeFileSync(join(cwd, 'oxherd.yaml'), text);
  const written: string[] = [];
  const collect = () => new PassThrough().on('data', (chunk) => written.push(String(chunk)));
  const code = await runApp({
    argv: [...args, 'doctor', '--offline'],
    cwd,
    env: { TOKEN: token },
    stdin: Readable.from([]),
    stdout: collect(),
    stderr: collect(),
    signal: new AbortController().signal,
    version: '0.0.0',
  });
  const output = written.join('');
  // Whatever happens, the secret stays where it is.
  expect(output).not.toContain(token.split('=')[1]);
  return { code, output };
}

async function problems(text: string, token: string) {
  const { code, output } = await doctor(text, token, ['--json']);
  const { checks, summary } = report.parse(JSON.parse(output));
  expect(code).toBe(summary.fail > 0 ? 1 : 0);
  return checks.filter((check) => check.result !== 'ok');
}

const pinned = (lab: Lab) => `endpoint: "${lab.endpoint}", fingerprint: "${lab.fingerprint}"`;

function root(lab: Lab): ProxmoxClient {
  const client = connectProxmox({
    endpoints: [lab.endpoint],
    token: lab.token,
    tls: { kind: 'insecure' },
    clock: lab.clock,
    random: () => 0,
  });
  onTestFinished(() => client.close());
  return client;
}

describe('oxherd doctor', () => {
  it('finds nothing wrong on the lab of --lab', async () => {
    const { code, output } = await doctor(config('endpoint: "https://pve1:8006"'), 'a@pve!b=not-used', [
      '--lab',
    ]);
    expect(output).toContain('0 warnings, 0 failures');
    expect(output).toMatch(/^privileges\n {2}ok {4}the token has all/m);
    expect(code).toBe(0);
  });

  it('prints the fingerprint to pin, and is content when it is pinned', async () => {
    const lab = await proxmox();
    const { code, output } = await doctor(config(`endpoint: "${lab.endpoint}"`), lab.token);
    expect(code).toBe(1);
    const line = /proxmox\.fingerprint: ([0-9A-F:]{95})/.exec(output);
    expect(line?.[1]).toBe(lab.fingerprint);
    expect(await problems(config(pinned(lab)), lab.token)).toEqual([]);
  });

  it('is content with a fingerprint for each host, and names the host whose certificate is another', async () => {
    const lab = await proxmox();
    const hosts = [...lab.proxmox.endpoints].map(([host, url]) => ({ host, url }));
    const lines = (of: (host: string) => string) =>
      `endpoint: [${hosts.map(({ host, url }) => `{ url: "${url}", fingerprint: "${of(host)}" }`).join(', ')}]`;
    const own = (host: string) => lab.proxmox.pve.fingerprint(host);
    expect(hosts.length).toBeGreaterThan(1);
    expect(await problems(config(lines(own)), lab.token)).toEqual([]);
    const last = hosts.at(-1);
    const stale = lines((host) => own(host === last?.host ? 'pve1' : host));
    expect(await problems(config(stale), lab.token)).toMatchObject([
      {
        group: 'certificate',
        result: 'fail',
        text: `${last?.url}: not trusted; it presents ${own(last?.host ?? '')}`,
      },
    ]);
  });

  it('tells a wrong token, a wrong pin and a missing server apart', async () => {
    const lab = await proxmox();
    const wrong = 'root@pam!lab=00000000-0000-4000-8000-000000000000';
    expect(await problems(config(pinned(lab)), wrong)).toMatchObject([
      { group: 'token', result: 'fail', text: expect.stringContaining('root@pam!lab') },
    ]);
    const pin = Array(32).fill('AB').join(':');
    const other = await problems(config(`endpoint: "${lab.endpoint}", fingerprint: "${pin}"`), lab.token);
    expect(other.map((check) => check.group)).toEqual(['connection', 'certificate']);
    expect(await problems(config('endpoint: "https://127.0.0.1:1"'), lab.token)).toMatchObject([
      { group: 'connection', result: 'fail', text: expect.stringContaining('ECONNREFUSED') },
    ]);
  });

  it('names each missing privilege with commands that really grant it', async () => {
    const lab = await proxmox();
    const admin = root(lab);
    await admin.createUser('ox@pve');
    const { fullTokenId, secret } = await admin.createToken('ox@pve', 'main', { privilegeSeparation: true });
    const token = `${fullTokenId}=${secret}`;
    const found = (await problems(config(pinned(lab)), token)).filter(
      (check) => check.group === 'privileges',
    );
    const text = found.map((check) => check.text).join('\n');
    for (const privilege of [
      'VM.Allocate on /vms/141',
      'Datastore.AllocateTemplate on /storage/local',
      'SDN.Use on /sdn/zones/localnetwork/vmbr0',
      'Sys.AccessNetwork on /nodes/pve1, /nodes/pve2',
      'Pool.Allocate on /pool; Pool.Audit on /pool',
    ]) {
      expect(text).toContain(privilege);
    }
    for (const command of found.flatMap((check) => check.fix ?? [])) await pveum(admin, command);
    expect(await problems(config(pinned(lab)), token)).toEqual([]);
  });

  it('takes nothing from a token that has its rights from above', async () => {
    const lab = await proxmox();
    const admin = root(lab);
    await admin.createUser('ox@pve');
    const { fullTokenId, secret } = await admin.createToken('ox@pve', 'main', { privilegeSeparation: true });
    await admin.createRole('Provisioner', PROVISIONER_PRIVILEGES);
    const subjects = { users: ['ox@pve'], tokens: [fullTokenId] };
    await admin.grant({ path: '/', roles: ['Provisioner'], ...subjects });
    const token = `${fullTokenId}=${secret}`;
    const found = (await problems(config(pinned(lab)), token)).filter(
      (check) => check.group === 'privileges',
    );
    expect(found.map((check) => check.text).join('\n')).toContain('VM.Migrate on /vms/');
    for (const command of found.flatMap((check) => check.fix ?? [])) await pveum(admin, command);
    expect(await problems(config(pinned(lab)), token)).toEqual([]);
  });

  it('sees storages, bridges, mappings and CPU types that are not there', async () => {
    const lab = await proxmox({
      ...WORLD,
      storages: DEFAULT_STORAGES.map((storage) =>
        storage.id === 'local' ? { ...storage, content: ['iso'] } : storage,
      ),
    });
    const nodeKeys = ', storage: tank, cpuType: custom-none, bridge: vmbr7, pci: [{ mapping: igpu }]';
    const found = await problems(config(pinned(lab), nodeKeys), lab.token);
    const texts = found.filter((check) => check.result === 'fail').map((check) => check.text);
    for (const host of HOSTS) {
      expect(texts).toContainEqual(expect.stringContaining(`${host} has no storage tank`));
      expect(texts).toContainEqual(
        expect.stringContaining(`local on ${host} does not take content "import"`),
      );
      expect(texts).toContainEqual(expect.stringContaining(`${host} has no bridge vmbr7`));
      expect(texts).toContainEqual(expect.stringContaining(`${host} does not know the CPU type custom-none`));
    }
    expect(texts).toContainEqual(expect.stringContaining('no PCI mapping igpu'));
    expect(found.flatMap((check) => check.fix ?? [])).toContain('pvesm set local --content import,iso');
  });

  it('sees a host that is down and one that does not exist', async () => {
    const lab = await proxmox();
    lab.core.faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
    const texts = (await problems(config(pinned(lab)), lab.token)).map((check) => check.text);
    expect(texts).toContainEqual('pve2 is down');
    const text = config(pinned(lab)).replace('hosts: [pve1, pve2]', 'hosts: [pve1, pve9]');
    expect((await problems(text, lab.token)).map((check) => check.text)).toContainEqual(
      expect.stringContaining('there is no host pve9'),
    );
  });

  it('sees a lost quorum, a wrong clock and too little memory', async () => {
    const lab = await proxmox(
      { ...WORLD, hosts: WORLD.hosts.map((host) => ({ ...host, memory: 1024 ** 3 })) },
      Date.now() - 3_600_000,
    );
    lab.core.faults.set({ name: 'no-quorum', subject: '', countdown: null });
    const groups = (await problems(config(pinned(lab)), lab.token))
      .filter((check) => check.result === 'fail')
      .map((check) => check.group);
    expect(new Set(groups)).toEqual(new Set(['hosts', 'clock', 'capacity']));
  });
});

/** Does what the command does, through the API. */
async function pveum(client: ProxmoxClient, command: string): Promise<void> {
  const words = command.match(/'[^']*'|\S+/g)?.map((word) => word.replace(/^'|'$/g, '')) ?? [];
  const option = (name: string) => words[words.indexOf(`--${name}`) + 1] ?? '';
  const [program, object, verb, subject = ''] = words;
  expect(program).toBe('pveum');
  if (object === 'role' && verb === 'add') return client.createRole(subject, option('privs').split(','));
  if (object === 'role' && verb === 'modify') {
    expect(words).toContain('--append');
    const role = (await client.roles()).find(({ roleid }) => roleid === subject);
    return client.updateRole(subject, [...(role?.privileges ?? []), ...option('privs').split(',')]);
  }
  expect([object, verb]).toEqual(['acl', 'modify']);
  await client.grant({
    path: subject,
    roles: [option('roles')],
    users: [option('users')],
    tokens: [option('tokens')],
  });
}
