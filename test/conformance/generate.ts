/** Writes what the real programs shall judge, and a list of it: `tsx generate.ts OUT RANDOM_CONFIGS`. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/load.js';
import { design } from '../../src/design/design-cluster.js';
import { MachineConfigWriter } from '../../src/design/machine-config/machine-config.js';
import { formatMinor } from '../../src/model/version.js';
import { generateSecrets, issueKubernetesAdmin, issueTalosClient } from '../../src/secrets/generate.js';
import { pemForNode } from '../../src/secrets/keys.js';
import { fromBase64Pem } from '../../src/secrets/pem.js';
import { formatTalosSecrets, type KeyPair } from '../../src/secrets/talos-secrets.js';
import { randomConfigText } from '../fixtures/design/machine-config/random-config.js';

const [out = '.', randomCount = '200'] = process.argv.slice(2);
const EXAMPLES = new URL('../../examples/', import.meta.url).pathname;

/** Contract to the Talos and Kubernetes that stand for it. */
const CONTRACTS = {
  'v1.12': { talos: 'v1.12.0', kubernetes: 'v1.35.0' },
  'v1.13': { talos: 'v1.13.9', kubernetes: 'v1.36.0' },
  'v1.14': { talos: 'v1.14.1', kubernetes: 'v1.37.0' },
} as const;

interface Case {
  readonly name: string;
  readonly contract: string;
  readonly files: readonly string[];
}

const now = new Date();
const random = (length: number): Uint8Array => randomBytes(length);
const secrets = await generateSecrets({ now, random });
const cases: Case[] = [];

function load(name: string, text: string, folder?: string): Config {
  const readText = (path: string): string | undefined => {
    const file = folder === undefined ? undefined : join(folder, path);
    return file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  const { config, diagnostics } = loadConfig({ path: name, text, readText });
  if (config) return config;
  throw new Error(`${name}: ${diagnostics.map(({ message }) => message).join('; ')}`);
}

function write(name: string, config: Config): void {
  const folder = join(out, 'machineconfig', name.replaceAll(/[^a-z0-9.-]+/gi, '_'));
  mkdirSync(folder, { recursive: true });
  const designed = design(config);
  const writer = new MachineConfigWriter(config, designed, { secrets });
  const files = designed.nodes.map((node) => {
    const path = join(folder, `${node.name}.yaml`);
    writeFileSync(path, writer.forNode(node.name).text(), { mode: 0o600 });
    return path;
  });
  cases.push({ name, contract: formatMinor(config.talos.version), files });
}

for (const example of readdirSync(EXAMPLES).sort()) {
  const folder = join(EXAMPLES, example);
  const path = join(folder, 'oxherd.yaml');
  if (!existsSync(path)) continue;
  for (const [contract, { talos, kubernetes }] of Object.entries(CONTRACTS)) {
    const document = parseDocument(readFileSync(path, 'utf8'));
    document.setIn(['talos', 'version'], talos);
    document.setIn(['talos', 'contract'], contract);
    document.setIn(['cluster', 'kubernetes'], kubernetes);
    const name = `example ${example}, contract ${contract}`;
    write(name, load(name, document.toString(), folder));
  }
}
for (let seed = 1; seed <= Number(randomCount); seed += 1) {
  const name = `random config ${seed}`;
  write(name, load(name, randomConfigText(seed)));
}

const pems = join(out, 'pem');
mkdirSync(pems, { recursive: true });
function writePem(name: string, { crt, key }: KeyPair): void {
  writeFileSync(join(pems, `${name}.crt`), fromBase64Pem(crt));
  writeFileSync(join(pems, `${name}.key`), pemForNode(fromBase64Pem(key)), { mode: 0o600 });
}
const { etcd, k8s, k8saggregator, os, k8sserviceaccount } = secrets.certs;
for (const [name, pair] of Object.entries({ etcd, k8s, k8saggregator, os })) writePem(name, pair);
writePem('talos-admin', await issueTalosClient(secrets, { now, random }));
writePem('kubernetes-admin', await issueKubernetesAdmin(secrets, { now, random }));
writeFileSync(join(pems, 'service-account.key'), fromBase64Pem(k8sserviceaccount.key), { mode: 0o600 });
writeFileSync(join(out, 'secrets.yaml'), formatTalosSecrets(secrets), { mode: 0o600 });
writeFileSync(join(out, 'cases.json'), JSON.stringify(cases));
