/**
 * Lets the real programs judge: Talos' own validators, sops and openssl.
 * Usage: node test/conformance/run.mjs [random configs] [random patches]. Closes with `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { parse, parseAllDocuments } from 'yaml';
import { buildSops, buildTool, hasGo } from './go-tools.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const randomConfigs = process.argv[2] ?? '200';
const randomPatches = process.argv[3] ?? '1000';
/** The library that judges each contract; a config must be good to its own Talos and to the newest. */
const VALIDATORS = { 'v1.12': 'v1.12.0', 'v1.13': 'v1.13.9', 'v1.14': 'v1.14.1' };

let passed = 0;
let failed = 0;
function check(name, problem) {
  if (problem) {
    failed += 1;
    console.log(`FAIL ${name}\n     ${problem.trim().replaceAll('\n', '\n     ')}`);
  } else {
    passed += 1;
  }
}

function exec(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  const problem =
    result.status === 0
      ? ''
      : `${result.stderr ?? ''}${result.error?.message ?? ''}` || `exit ${result.status}`;
  return { out: result.stdout ?? '', problem };
}

const tsx = (script, ...args) => exec(process.execPath, ['--import', 'tsx', join(HERE, script), ...args]);

function judgeMachineConfigs(cases) {
  const problems = new Map(cases.map(({ name }) => [name, []]));
  for (const [contract, version] of Object.entries(VALIDATORS)) {
    const judged = cases.filter((each) => version === 'v1.14.1' || each.contract === contract);
    const owner = new Map(judged.flatMap(({ name, files }) => files.map((file) => [file, name])));
    const input = [...owner.keys()].flatMap((file) => [`metal ${file}`, `cloud ${file}`]).join('\n');
    const { out, problem } = exec(buildTool('validate', version), [], { input: `${input}\n` });
    const verdicts = out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    check(
      `Talos ${version} judged ${owner.size} machine configs, metal and cloud`,
      problem || (verdicts.length === owner.size * 2 ? '' : `${verdicts.length} verdicts`),
    );
    for (const { path, mode, error, warnings } of verdicts) {
      const found = [error, ...(warnings ?? [])].filter(Boolean);
      if (found.length > 0)
        problems.get(owner.get(path)).push(`${version} ${mode} ${path}: ${found.join('; ')}`);
    }
  }
  for (const [name, found] of problems) check(name, found.join('\n'));
}

/** The judges must be able to say no. */
function judgesRefuse(folder) {
  const file = join(folder, 'wrong.yaml');
  writeFileSync(file, 'version: v1alpha1\nmachine:\n  type: worker\n  bogus: 1\n');
  for (const version of Object.values(VALIDATORS)) {
    const { out } = exec(buildTool('validate', version), [], { input: `metal ${file}\n` });
    check(
      `Talos ${version} refuses a wrong config`,
      out.includes('unknown keys') ? '' : out || 'it said nothing',
    );
  }
}

/** What Go leaves out of its YAML, or writes for nothing: both mean the same. */
const GO_ZEROS = new Set([
  null,
  undefined,
  '',
  0,
  'unspec',
  'none',
  'accept',
  'raid1',
  'linear',
  'Protocol(0)',
]);

function meaning(value) {
  if (Array.isArray(value)) return value.map(meaning);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    // Encryption without a provider is none.
    .filter(([key, item]) => key !== 'encryption' || !GO_ZEROS.has(item?.provider))
    .map(([key, item]) => [key, meaning(item)])
    .filter(([, item]) => !GO_ZEROS.has(item) && (typeof item !== 'object' || Object.keys(item).length > 0));
  return Object.fromEntries(entries);
}

/** Random patches by our code and by Talos': the same documents, or the same refusal. */
function comparePatches(folder) {
  const file = join(folder, 'patches.jsonl');
  const made = tsx('patches.ts', file, randomPatches).problem;
  if (made) return check('random patches are written', made);
  const input = readFileSync(file, 'utf8');
  const { out, problem } = exec(buildTool('patch'), [], { input: `${input}\n` });
  const real = out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const cases = input.split('\n').map((line) => JSON.parse(line));
  check(
    `Talos applied ${cases.length} random patches`,
    problem || (real.length === cases.length ? '' : `${real.length} answers`),
  );
  const words = (text) =>
    text
      .replaceAll(/line \d+/g, 'line')
      .replaceAll(/\s+/g, ' ')
      .trim();
  const different = cases.filter(({ ours }, at) => {
    const { error, result } = real[at] ?? {};
    if (ours.error || error) return words(ours.error ?? '') !== words(error ?? '');
    const documents = parseAllDocuments(result).map((document) => document.toJS());
    return !isDeepStrictEqual(meaning(documents), meaning(ours.documents));
  });
  for (const { patches } of different.slice(0, 3))
    console.log(`differs from Talos:\n${patches.join('\n(then)\n')}`);
  check('random patches give what Talos gives', different.length === 0 ? '' : `${different.length} differ`);
}

/** Both ways, and a change that both must notice. */
async function sopsRoundTrips(folder) {
  const sops = buildSops();
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  const keys = join(folder, 'keys.txt');
  writeFileSync(keys, `${identity}\n`, { mode: 0o600 });
  const env = { PATH: process.env.PATH, HOME: folder, SOPS_AGE_KEY_FILE: keys };
  const yaml = ['--input-type', 'yaml', '--output-type', 'yaml'];
  const other = join(folder, 'other.yaml');
  writeFileSync(
    other,
    'text: "yes"\nnumber: 12\nfraction: 1.5\nflag: true\nempty: ""\nnone: null\nlist: [a, 2, false]\ndeep: {er: {est: "ü\\n"}}\nnote_unencrypted: hello\n# a comment\nlast: 1\n',
  );
  for (const [name, plain] of [
    ['Talos secrets', join(folder, 'secrets.yaml')],
    ['other types', other],
  ]) {
    const same = (path) =>
      JSON.stringify(parse(readFileSync(path, 'utf8'))) === JSON.stringify(parse(readFileSync(plain, 'utf8')))
        ? ''
        : 'the content differs';
    const ours = `${plain}.ours`;
    const theirs = `${plain}.theirs`;
    const back = `${plain}.back`;
    const written = tsx('sops.ts', 'encrypt', plain, ours, recipient).problem;
    const opened = exec(sops, ['decrypt', ...yaml, '--output', back, ours], { env }).problem;
    check(`${name}: written by oxherd, opened by sops`, written || opened || same(back));
    const sealed = exec(sops, ['encrypt', '--age', recipient, ...yaml, '--output', theirs, plain], {
      env,
    }).problem;
    const read = tsx('sops.ts', 'decrypt', theirs, back, keys).problem;
    check(`${name}: written by sops, opened by oxherd`, sealed || read || same(back));
    const regex = exec(
      sops,
      [
        'encrypt',
        '--age',
        recipient,
        '--encrypted-regex',
        '^(text|deep|certs)$',
        ...yaml,
        '--output',
        theirs,
        plain,
      ],
      { env },
    ).problem;
    check(
      `${name}: partly encrypted by sops, opened by oxherd`,
      regex || tsx('sops.ts', 'decrypt', theirs, back, keys).problem || same(back),
    );
  }
  const touched = join(folder, 'touched.yaml');
  writeFileSync(
    touched,
    readFileSync(`${other}.ours`, 'utf8').replace('note_unencrypted: hello', 'note_unencrypted: hullo'),
  );
  check(
    'sops refuses a changed file of oxherd',
    exec(sops, ['decrypt', ...yaml, touched], { env }).problem ? '' : 'it opened it',
  );
}

function opensslChains(folder) {
  const pem = (name) => join(folder, 'pem', name);
  const openssl = (...args) => exec('openssl', args).problem;
  if (exec('openssl', ['version']).problem) return console.log('skipped: no openssl');
  for (const name of ['etcd', 'k8s', 'k8saggregator', 'os']) {
    check(
      `openssl: ${name} is a good authority`,
      openssl('verify', '-x509_strict', '-check_ss_sig', '-CAfile', pem(`${name}.crt`), pem(`${name}.crt`)),
    );
  }
  for (const [authority, name] of [
    ['os', 'talos-admin'],
    ['k8s', 'kubernetes-admin'],
  ]) {
    check(
      `openssl: ${name} is a client below ${authority}`,
      openssl(
        'verify',
        '-x509_strict',
        '-purpose',
        'sslclient',
        '-CAfile',
        pem(`${authority}.crt`),
        pem(`${name}.crt`),
      ),
    );
    check(
      `openssl: ${name} is no server`,
      openssl('verify', '-purpose', 'sslserver', '-CAfile', pem(`${authority}.crt`), pem(`${name}.crt`))
        ? ''
        : 'it passed',
    );
  }
  for (const name of ['etcd', 'k8s', 'k8saggregator', 'os', 'talos-admin', 'kubernetes-admin']) {
    const fromKey = exec('openssl', ['pkey', '-in', pem(`${name}.key`), '-pubout']);
    const fromCertificate = exec('openssl', ['x509', '-in', pem(`${name}.crt`), '-pubkey', '-noout']);
    check(
      `openssl: key and certificate of ${name} belong together`,
      fromKey.problem ||
        fromCertificate.problem ||
        (fromKey.out === fromCertificate.out ? '' : 'they do not'),
    );
  }
  check(
    'openssl: the service account key is sound',
    openssl('rsa', '-in', pem('service-account.key'), '-check', '-noout'),
  );
}

if (!hasGo()) {
  console.log('skipped: there is no Go here to build the real programs with\n0 passed, 0 failed, 1 skipped');
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), 'oxherd-conformance-run-'));
try {
  const generated = tsx('generate.ts', folder, randomConfigs).problem;
  check(`machine configs of all examples and of ${randomConfigs} random configs are written`, generated);
  if (!generated) {
    judgeMachineConfigs(JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')));
    judgesRefuse(folder);
    check(
      'Talos takes the secrets bundle',
      exec(buildTool('bundle'), [join(folder, 'secrets.yaml')]).problem,
    );
    comparePatches(folder);
    await sopsRoundTrips(folder);
    opensslChains(folder);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
