/** Whatever stands in a file: an answer or an error of ours, in time, within memory. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTalconfig } from '../../src/config/from-talconfig/load.js';
import { loadTemplate } from '../../src/config/from-template/load.js';
import { loadTfvars } from '../../src/config/from-tfvars/load.js';
import { loadConfig } from '../../src/config/load.js';
import { fileStore } from '../../src/lab/store.js';
import { OxherdError } from '../../src/model/error.js';
import { parsePlan } from '../../src/plan/saved-plan.js';
import { decryptSops, encryptSops } from '../../src/secrets/sops/file.js';
import { parseTalosSecrets } from '../../src/secrets/talos-secrets.js';
import { journalLine, parseJournal } from '../../src/session/journal/journal-file.js';
import {
  mutateJson,
  mutateText,
  type Random,
  randomOf,
  TFVARS,
  YAML_CONFIGS,
} from '../support/reader-inputs.js';
import { amount, remembered, seed } from '../support/shard.js';

const COUNT = amount({ test: 1_000, exhaustive: 50_000, full: 1_000_000 });
const BLOCK = 500;
const MOST_MS = 1_000;
const MOST_BYTES = 300 * 1024 * 1024;

interface Reader {
  /** Texts that it reads. */
  readonly real: readonly string[];
  readonly read: (text: string) => unknown;
  readonly json?: boolean;
}

const readText = (path: string): string | undefined => (path.endsWith('.yaml') ? 'a: 1\n' : undefined);
const CLUSTER =
  'cluster_name: c\nproxmox_api_url: "https://pve.lan:8006"\nnode_cidr: 10.0.0.0/24\ntalos_version: v1.13.0\n';
const NODES = 'nodes:\n  - name: n1\n    address: 10.0.0.4\n    controller: true\n    proxmox_node: pve1\n';
const TALCONFIG = `clusterName: home
endpoint: https://10.0.30.30:6443
talosVersion: v1.13.2
kubernetesVersion: v1.35.2
domain: k8s.lan
patches:
  - '@patches/all.yaml'
  - |-
    machine:
      sysctls: { vm.nr_hugepages: "64" }
nodes:
  - hostname: one
    ipAddress: 10.0.30.11
    controlPlane: true
    installDisk: /dev/sda
    networkInterfaces:
      - interface: eth0
        addresses: [10.0.30.11/23]
        routes: [{ network: 0.0.0.0/0, gateway: 10.0.30.1 }]
        vip: { ip: 10.0.30.30 }
  - hostname: two
    ipAddress: \${WORKER_IP}
    nodeLabels: { rack: a }
    schematic: { customization: { systemExtensions: { officialExtensions: [siderolabs/iscsi-tools] } } }
`;
const TOPF = `clusterName: home
clusterEndpoint: https://10.0.30.30:6443
kubernetesVersion: v1.35.2
nodes:
  - host: one
    ip: 10.0.30.11
    role: control-plane
`;
const PLAN = {
  format: 1,
  id: 'x',
  fingerprint: 'f',
  cluster: { name: 'c' },
  action: 'apply',
  steps: [],
  problems: [],
  notes: [],
};
const HEAD = {
  type: 'journal',
  format: 1,
  runId: 'r',
  command: 'apply',
  cluster: 'c',
  startedAt: '2026',
  lab: true,
} as const;

const readers: Record<string, Reader> = {
  config: { real: YAML_CONFIGS, read: (text) => loadConfig({ path: 'oxherd.yaml', text, readText }) },
  tfvars: {
    real: TFVARS,
    read: (text) => loadTfvars({ files: [{ path: 'a.tfvars', name: 'a.tfvars', text }], readText }),
  },
  'tfvars.json': {
    real: [JSON.stringify({ proxmox: { endpoint: 'x' }, nodes: { a: { ip: '1' } } })],
    json: true,
    read: (text) => loadTfvars({ files: [{ path: 'a.tfvars.json', name: 'a', text }], readText }),
  },
  template: {
    real: [CLUSTER, NODES],
    read: (text) => {
      loadTemplate({
        cluster: { path: 'c', name: 'c', text },
        nodes: { path: 'n', name: 'n', text: NODES },
        readText,
      });
      loadTemplate({
        cluster: { path: 'c', name: 'c', text: CLUSTER },
        nodes: { path: 'n', name: 'n', text },
        readText,
      });
    },
  },
  talconfig: {
    real: [TALCONFIG, TOPF],
    read: (text) =>
      loadTalconfig({
        file: { path: 'talconfig.yaml', name: 'talconfig.yaml', text },
        readText,
        listFiles: (folder) => (folder === 'all' ? ['a.yaml', 'b.tpl'] : []),
      }),
  },
  journal: {
    real: [
      journalLine(HEAD) +
        journalLine({ type: 'run-started', at: 1, runId: 'r', steps: 3 }) +
        journalLine({ type: 'step-done', at: 2, step: 's', ms: 3, already: false, warnings: ['w'] }),
    ],
    read: parseJournal,
  },
  plan: { real: [JSON.stringify(PLAN)], json: true, read: (text) => parsePlan(text, 'plan.json') },
};

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-fuzz-'));
  const identity = await generateX25519Identity();
  const secrets = { cluster: { id: 'a', secret: 'b' }, list: [1, true, null, 'x'] };
  const sealed = await encryptSops(secrets, {
    recipients: [await identityToRecipient(identity)],
    now: new Date(0),
    random: (length) => new Uint8Array(length),
  });
  readers.sops = { real: [sealed], read: (text) => decryptSops(text, [identity], 'secrets.sops.yaml') };
  readers.secrets = {
    real: ['cluster: { id: a, secret: b }\ncerts:\n  os: { crt: x, key: y }\n'],
    read: (text) => parseTalosSecrets(text, 's'),
  };
  for (const [name, real] of [
    ['snapshot.json', '{"vms":[["151",{"name":"a"}]],"faults":[]}'],
    ['changes.log', '["vms","151",{"name":"b"}]\n["vms","151"]\n'],
  ] as const) {
    readers[name] = {
      real: [real],
      json: name === 'snapshot.json',
      read(text) {
        for (const old of readdirSync(folder)) rmSync(join(folder, old), { recursive: true });
        writeFileSync(join(folder, name), text);
        fileStore(folder).close();
      },
    };
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function inputFor({ real, json }: Reader, random: Random): string {
  let text = real[Math.floor(random() * real.length)] ?? '';
  for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes -= 1) {
    text = json && random() < 0.6 ? changedJson(text, random) : mutateText(text, random);
  }
  return text;
}

function changedJson(text: string, random: Random): string {
  try {
    return JSON.stringify(mutateJson(JSON.parse(text), random));
  } catch {
    return mutateText(text, random);
  }
}

/** What is wrong with how it was read, or nothing. */
async function problemOf({ read }: Reader, text: string): Promise<string | undefined> {
  const begun = process.cpuUsage();
  const heap = process.memoryUsage().heapUsed;
  try {
    await read(text);
  } catch (error) {
    if (!(error instanceof OxherdError)) return error instanceof Error ? String(error.stack) : String(error);
  }
  const { user, system } = process.cpuUsage(begun);
  if ((user + system) / 1_000 > MOST_MS) return `it took ${Math.round((user + system) / 1_000)} ms`;
  return process.memoryUsage().heapUsed - heap > MOST_BYTES ? 'it took more than 300 MiB' : undefined;
}

describe('readers of files', () => {
  it(`take ${COUNT} changed inputs without a stack trace, a hang or a flood`, async () => {
    const names = Object.keys(readers);
    const wrong: string[] = [];
    for (let block = 0; block * BLOCK < COUNT; block += 1) {
      const problems = await remembered(`readers ${seed()} block ${block}`, async () => {
        const found: string[] = [];
        for (let index = block * BLOCK; index < Math.min(COUNT, (block + 1) * BLOCK); index += 1) {
          const name = names[index % names.length] ?? '';
          const reader = readers[name] as Reader;
          const text = inputFor(reader, randomOf(seed() + index));
          const problem = await problemOf(reader, text);
          if (problem)
            found.push(`${name}, input ${index} of seed ${seed()}: ${problem}\n${text.slice(0, 300)}`);
        }
        return found;
      });
      wrong.push(...problems);
      if (wrong.length > 10) break;
    }
    console.log(`readers: ${COUNT} inputs, ${wrong.length} wrong`);
    expect(wrong).toEqual([]);
  }, 20_000_000);
});

/** Each of these took minutes or gigabytes once. */
describe('a long or deep text', () => {
  const of = (length: number, piece: string) => piece.repeat(Math.ceil(length / piece.length));
  const locals = Array.from({ length: 40 }, (_, i) => `  a${i + 1} = [local.a${i}, local.a${i}]`).join('\n');
  const texts = Array.from({ length: 40 }, (_, i) => `  a${i + 1} = "\${local.a${i}}\${local.a${i}}"`).join(
    '\n',
  );
  const laughs = 'bcdefghi'
    .split('')
    .map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(', ')}]`);
  it.each<[string, string, string]>([
    ['config', 'a word as a key', `${of(1_900_000, 'a')}: 1\n`],
    ['config', 'a word as a value', `cluster: { name: ${of(1_900_000, 'a')} }\n`],
    ['config', 'brackets', `a: ${of(1_900_000, '[')}`],
    ['config', 'lists in lists', of(1_900_000, '- ')],
    ['config', 'aliases of aliases', `a: &a [x, x]\n${laughs.join('\n')}\n`],
    ['config', 'the same key', of(1_900_000, 'a: 1\n')],
    ['config', 'text without an end', `a: "${of(1_900_000, 'b\n ')}`],
    ['config', 'what looks like secrets', `a: {${of(1_900_000, 'token: x, ')}`],
    ['config', 'what looks like tokens', `${of(1_900_000, 'a@b!')}: [`],
    ['tfvars', 'text', `a = "${of(1_900_000, 'a')}"\n`],
    ['tfvars', 'a word', `a = ${of(1_900_000, 'a')}\n`],
    ['tfvars', 'a secret word', `a = ${of(1_900_000, 'token-')}\n`],
    ['tfvars', 'brackets', `a = ${of(1_900_000, '[')}`],
    ['tfvars', 'lists of locals', `locals {\n  a0 = ["x"]\n${locals}\n}\nx = local.a40\n`],
    ['tfvars', 'texts of locals', `locals {\n  a0 = "x"\n${texts}\n}\nx = local.a40\n`],
    ['tfvars', 'a heredoc without an end', `a = <<EOT\n${of(1_900_000, 'a\n')}`],
    ['tfvars', 'variables', of(1_900_000, 'abcdefgh = 1\n')],
    ['template', 'a word', `${of(1_900_000, 'a')}: 1\n`],
    ['talconfig', 'a word', `${of(1_900_000, 'a')}: 1\n`],
    ['talconfig', 'variables', `clusterName: ${of(1_900_000, `$${'{A}'}`)}\n`],
    ['talconfig', 'variables without an end', `clusterName: ${of(1_900_000, '${')}\n`],
    ['talconfig', 'defaults without an end', `clusterName: ${of(1_900_000, '${A-')}\n`],
    ['talconfig', 'brackets', of(1_900_000, '[')],
    ['talconfig', 'nodes', `nodes:\n${of(1_900_000, '  - { hostname: a }\n')}`],
    ['secrets', 'brackets', of(1_900_000, '[')],
    ['sops', 'a word', `sops:\n  mac: ENC[AES256_GCM,${of(1_900_000, 'a')}\n`],
    ['journal', 'brackets', of(1_900_000, '[')],
    ['plan', 'brackets', of(1_900_000, '[')],
    ['snapshot.json', 'brackets', of(1_900_000, '[')],
  ])('%s: %s', async (name, _, text) => {
    expect(await problemOf(readers[name] as Reader, text)).toBeUndefined();
  });
});
