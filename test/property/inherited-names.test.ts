/**
 * Keys of foreign text that all objects of JavaScript inherit (`__proto__`, `constructor` …). No reader changes a prototype, and
 * such a key has the fate of any other: it is kept as data or refused with a message.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readPendingList } from '../../src/clients/proxmox/calls/vms.js';
import { textValues } from '../../src/clients/proxmox/decode.js';
import { hoistDefaults } from '../../src/config/convert/hoist-defaults.js';
import { loadTalconfig } from '../../src/config/from-talconfig/load.js';
import { loadTemplate } from '../../src/config/from-template/load.js';
import { loadTfvars } from '../../src/config/from-tfvars/load.js';
import { loadConfig } from '../../src/config/load.js';
import { canonicalJson } from '../../src/design/canonical-json.js';
import { merged } from '../../src/design/kubernetes/cilium-values.js';
import { residual, residualPatches } from '../../src/design/machine-config/residual.js';
import { matchesLabels } from '../../src/formats/kubernetes/label-selector.js';
import { matchesTerms } from '../../src/formats/kubernetes/node-selector.js';
import { adoptionNoteIn } from '../../src/formats/marks/adoption-note.js';
import { appliedMarks } from '../../src/formats/marks/applied-note.js';
import { parseDataNotes } from '../../src/formats/marks/data-notes.js';
import { notedDrain } from '../../src/formats/marks/drain-note.js';
import { parseNodeMarks } from '../../src/formats/marks/node-marks.js';
import {
  PropertyStringError,
  parseDrive,
  parseNet,
  parsePropertyString,
  printDrive,
  printNet,
} from '../../src/formats/proxmox/property-string.js';
import { effectiveValues, stateOfPending } from '../../src/formats/proxmox/vm-config.js';
import { redactDocuments } from '../../src/formats/redact/redact-talos.js';
import { redactStrings } from '../../src/formats/redact/redact-text.js';
import { parseTalosDocuments } from '../../src/formats/talos/talos-documents.js';
import { patchText } from '../../src/formats/talos/talos-patch.js';
import { vmsInState } from '../../src/formats/terraform/state.js';
import { applyJsonPatch, JsonPatchError } from '../../src/formats/text/json-patch.js';
import { isMapping, type Mapping, setOwn } from '../../src/formats/text/mapping.js';
import { readYaml, readYamlDocuments, YamlTextError } from '../../src/formats/text/yaml-text.js';
import { KubeApi } from '../../src/lab/kubernetes/api/kube-api.js';
import { internalWrite, PLAIN_DELETE } from '../../src/lab/kubernetes/api/options.js';
import { bootstrapObjects } from '../../src/lab/kubernetes/bootstrap.js';
import { patch as patchObject } from '../../src/lab/kubernetes/http/patch.js';
import { clone, sameJson, stableText } from '../../src/lab/kubernetes/json.js';
import { mergePatch, mergePatchBetween } from '../../src/lab/kubernetes/patch/merge-patch.js';
import { strategicMerge } from '../../src/lab/kubernetes/patch/strategic-merge.js';
import { builtInSchema } from '../../src/lab/kubernetes/schema/built-in.js';
import { parseLabelSelector } from '../../src/lab/kubernetes/selectors/label-selector.js';
import { ApiError } from '../../src/lab/kubernetes/status.js';
import { ObjectStore } from '../../src/lab/kubernetes/storage/object-store.js';
import { requestFields } from '../../src/lab/proxmox/http/request-parameters.js';
import { OxherdError } from '../../src/model/error.js';
import { parsePlan } from '../../src/plan/saved-plan.js';
import { mergeKubeconfig, mergeTalosconfig } from '../../src/secrets/client-files.js';
import { readTalosconfig } from '../../src/secrets/read-talosconfig.js';
import { encryptSops } from '../../src/secrets/sops/file.js';
import { parseTalosSecrets } from '../../src/secrets/talos-secrets.js';
import { resolveSecret } from '../../src/session/connect/resolve-secret.js';
import { parseJournal } from '../../src/session/journal/journal-file.js';
import { drivenCore } from '../support/lab/kubernetes/testing.js';
import { seed } from '../support/shard.js';
import { smallFile } from '../support/small-file.js';

const INHERITED = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
const MARK = 'kept-mark';

/** Everything that a write through `__proto__` or `constructor.prototype` could reach. */
const ROOTS = {
  Object,
  'Object.prototype': Object.prototype,
  'Array.prototype': Array.prototype,
  'Function.prototype': Function.prototype,
};
const snapshot = () =>
  Object.entries(ROOTS).map(([name, root]) =>
    [name, ...Reflect.ownKeys(root).map((key) => String(key))].join(' '),
  );
const clean = snapshot();

afterEach(() => {
  expect(snapshot()).toEqual(clean);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

/** Fate of a text: what came of it, or the refusal. */
type Fate = { readonly refused: string } | { readonly shown: string };

function fateOf(read: () => unknown): Fate {
  try {
    const value = read();
    const problems = isMapping(value) ? value.diagnostics : undefined;
    if (Array.isArray(problems) && problems.length > 0) return { refused: JSON.stringify(problems) };
    return { shown: shownText(value) };
  } catch (error) {
    if (
      [OxherdError, YamlTextError, PropertyStringError, JsonPatchError, ApiError].some(
        (kind) => error instanceof kind,
      )
    )
      return { refused: String(error) };
    throw error;
  }
}

function shownText(value: unknown): string {
  return typeof value === 'string'
    ? value
    : (JSON.stringify(value, (_, item: unknown) => (item instanceof Map ? [...item] : item)) ?? '');
}

/** Whether a name that was put into the text is still there, or its refusal. */
function isKept(fate: Fate): boolean {
  return 'refused' in fate || fate.shown.includes(MARK);
}

interface Reader {
  /** What it reads, as a value. */
  readonly base: unknown;
  readonly read: (value: unknown) => unknown;
}

const readText = (): undefined => undefined;
const file = (value: unknown) => ({ path: 'a', name: 'a', text: JSON.stringify(value) });
const example = readYaml(smallFile());
const machineConfig = readFileSync('test/fixtures/formats/talos-patches/base/patch-small.yaml', 'utf8');
const secretsText = readFileSync('test/fixtures/secrets/talos-v1.13/secrets.yaml', 'utf8');
const machine: Mapping = {
  machine: {
    type: 'worker',
    sysctls: { 'vm.nr_hugepages': '1' },
    nodeLabels: { rack: 'a' },
    kubelet: { extraArgs: { v: '4' }, extraConfig: { serverTLSBootstrap: true, nested: { a: 1 } } },
    registries: { config: { 'registry.example.com': { auth: { username: 'me' } } } },
  },
};
const CLUSTER = {
  cluster_name: 'c',
  proxmox_api_url: 'https://pve.lan:8006',
  node_cidr: '10.0.0.0/24',
  talos_version: 'v1.13.0',
};
const NODES = {
  nodes: [{ name: 'n1', address: '10.0.0.4', controller: true, proxmox_node: 'pve1' }],
};
const TALCONFIG = {
  clusterName: 'home',
  endpoint: 'https://10.0.30.30:6443',
  talosVersion: 'v1.13.2',
  kubernetesVersion: 'v1.35.2',
  nodes: [
    {
      hostname: 'one',
      ipAddress: '10.0.30.11',
      controlPlane: true,
      nodeLabels: { rack: 'a' },
      installDisk: '/dev/sda',
    },
  ],
};
const TFVARS = {
  proxmox: { endpoint: 'https://pve.lan:8006', name: 'pve' },
  cluster: { name: 'c', talos_version: 'v1.13.0' },
  nodes: { a: { ip: '10.0.0.4', machine_type: 'controlplane' } },
};
const VM = {
  name: 'a',
  cores: 2,
  memory: '2048',
  scsi0: 'local:vm-1-disk-0,size=8G',
  net0: 'virtio,bridge=vmbr0',
};
const CONFIG_MAP = { metadata: { name: 'x', labels: { a: 'b' }, annotations: { c: 'd' } }, data: { e: 'f' } };
const POD = {
  metadata: { name: 'x', labels: { a: 'b' } },
  spec: {
    containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '1' } } }],
    nodeSelector: { a: 'b' },
  },
};

const core = drivenCore();
const api = new KubeApi(new ObjectStore(core.store, 'test'), core.clock, core.random);
bootstrapObjects(api);
api.create(api.type('serviceaccounts'), 'default', { metadata: { name: 'default' } }, internalWrite('test'));

/** The object `x` as the API has it after its creation and the change; it is deleted again. */
function kubernetesWith(object: unknown, plural: string, change?: { type: string; text: string }): unknown {
  const target = { type: api.type(plural), namespace: 'default', name: 'x', subresource: '' };
  api.create(target.type, 'default', isMapping(object) ? object : {}, internalWrite('test'));
  try {
    if (change) patchObject(api, target, `application/${change.type}`, change.text, internalWrite('test'));
    return api.get(target);
  } finally {
    api.delete(target, { ...PLAIN_DELETE, gracePeriodSeconds: 0 }, internalWrite('test'));
  }
}

const readers: Record<string, Reader> = {
  YAML: { base: { a: { b: [{ c: 1 }] } }, read: (value) => readYaml(stringify(value)) },
  'YAML with merges': {
    base: { a: { b: 1 } },
    read: (value) => readYamlDocuments(`x: &x ${JSON.stringify(value)}\ny: { <<: *x }\n`, { merge: true }),
  },
  'oxherd.yaml': { base: example, read: (value) => loadConfig({ ...file(value), readText }) },
  'oxherd.yaml with merges': {
    base: example,
    read: (value) =>
      loadConfig({ path: 'a', text: `x-it: &it ${JSON.stringify(value)}\n<<: *it\n`, readText }),
  },
  'a machine config': {
    base: machine,
    read: (value) => parseTalosDocuments(stringify(value)),
  },
  'a strategic patch': { base: machine, read: (value) => patchText(machineConfig, [stringify(value)]) },
  'a strategic patch onto such keys': {
    base: machine,
    read: (value) => patchText(stringify(value), [stringify(value), stringify(machine)]),
  },
  'a deletion': {
    base: machine,
    read: (value) =>
      patchText(stringify(value), ['machine: { sysctls: { vm.nr_hugepages: { $patch: delete } } }']),
  },
  'patches between machine configs': {
    base: machine,
    read: (value) => (isMapping(value) ? residualPatches(residual([machine], [value]).differences) : ''),
  },
  'a redacted machine config': {
    base: machine,
    read: (value) =>
      isMapping(value) ? Object.keys(redactDocuments([value])[0] ?? {}) && redactDocuments([value]) : '',
  },
  'tfvars.json': {
    base: TFVARS,
    read: (value) => loadTfvars({ files: [{ ...file(value), path: 'a.tfvars.json' }], readText }),
  },
  tfvars: {
    base: TFVARS,
    read: (value) =>
      loadTfvars({
        files: [
          {
            path: 'a.tfvars',
            name: 'a.tfvars',
            text: isMapping(value)
              ? Object.entries(value)
                  .map(([key, item]) => `${key} = ${hcl(item)}\n`)
                  .join('')
              : '',
          },
        ],
        readText,
      }),
  },
  'the template: cluster': {
    base: CLUSTER,
    read: (value) => loadTemplate({ cluster: file(value), nodes: file(NODES), readText }),
  },
  'the template: nodes': {
    base: NODES,
    read: (value) => loadTemplate({ cluster: file(CLUSTER), nodes: file(value), readText }),
  },
  talconfig: {
    base: TALCONFIG,
    read: (value) => loadTalconfig({ file: file(value), readText, listFiles: () => [] }),
  },
  'talconfig: variables': {
    base: { A: 'home' },
    read: (value) =>
      loadTalconfig({
        file: file({
          ...TALCONFIG,
          clusterName: `\${A}`,
          domain: INHERITED.map((name) => `\${${name}}`).join(''),
        }),
        readText: (path) => (path === 'talenv.yaml' ? JSON.stringify(value) : undefined),
        listFiles: () => [],
      }),
  },
  'Talos secrets': { base: readYaml(secretsText), read: (value) => parseTalosSecrets(stringify(value), 's') },
  kubeconfig: {
    base: { clusters: [{ name: 'a', cluster: { server: 'x' } }], users: [], contexts: [] },
    read: (value) => mergeKubeconfig(stringify(value), 'clusters: [{ name: b }]\ncurrent-context: b\n', 'k'),
  },
  talosconfig: {
    base: { context: 'a', contexts: { a: { endpoints: ['10.0.0.1'] } } },
    read: (value) => mergeTalosconfig(stringify(value), 'context: b\ncontexts: { b: {} }\n', 't'),
  },
  'the context of a talosconfig': {
    base: { context: 'a', contexts: { a: { endpoints: ['10.0.0.1'], ca: 'x', crt: 'y', key: 'z' } } },
    read: (value) => readTalosconfig(stringify(value), 't'),
  },
  'a saved plan': {
    base: {
      format: 1,
      id: 'x',
      fingerprint: 'f',
      cluster: { name: 'c' },
      action: 'apply',
      steps: [],
      problems: [],
      notes: [],
    },
    read: (value) => parsePlan(JSON.stringify(value), 'plan.json'),
  },
  'a journal': {
    base: {
      type: 'journal',
      format: 1,
      runId: 'r',
      command: 'apply',
      cluster: 'c',
      startedAt: '2026',
      lab: true,
    },
    read: (value) => parseJournal(`${JSON.stringify(value)}\n`),
  },
  'the state of Terraform': {
    base: { version: 4, resources: [{ type: 'x', name: 'y', instances: [{ attributes: { vm_id: 1 } }] }] },
    read: (value) => vmsInState(JSON.stringify(value)),
  },
  "the config of a VM in Proxmox's answer": {
    base: VM,
    read: (value) => (isMapping(value) ? textValues(value) : ''),
  },
  'pending changes of a VM': {
    base: VM,
    read: (value) => {
      const pairs = isMapping(value) ? Object.entries(value) : [];
      const { digest, entries } = readPendingList([
        { key: 'digest', value: 'd' },
        ...pairs.map(([key, item]) => ({
          key,
          value: 'old',
          pending: typeof item === 'string' ? item : JSON.stringify(item),
        })),
      ]);
      return effectiveValues(stateOfPending({ digest, entries }));
    },
  },
  'a form for Proxmox': {
    base: { name: 'a' },
    read: (value) => {
      const body = isMapping(value)
        ? Object.entries(value)
            .map(([key, item]) => `${key}=${encodeURIComponent(JSON.stringify(item))}`)
            .join('&')
        : '';
      return {
        ...requestFields({
          method: 'POST',
          query: '',
          contentType: 'application/x-www-form-urlencoded',
          body,
        }),
      };
    },
  },
  'a JSON body for Proxmox': {
    base: { name: 'a' },
    read: (value) => ({
      ...requestFields({
        method: 'POST',
        query: '',
        contentType: 'application/json',
        body: JSON.stringify(value),
      }),
    }),
  },
  'values of Cilium': {
    base: { ipam: { mode: 'kubernetes' }, a: { b: { c: 1 } } },
    read: (value) => (isMapping(value) ? merged(merged({ ipam: { mode: 'x' } }, value), value) : ''),
  },
  'common values of nodes': {
    base: { nodes: { a: { role: 'worker', cores: 2 }, b: { role: 'worker', cores: 2 } } },
    read: (value) => (isMapping(value) ? hoistDefaults(value) : ''),
  },
  'canonical JSON': { base: POD, read: canonicalJson },
  'redacted texts': { base: POD, read: redactStrings },
  'a copy in the lab': { base: POD, read: clone },
  'sorted JSON in the lab': { base: POD, read: stableText },
  'a config map in the lab': { base: CONFIG_MAP, read: (value) => kubernetesWith(value, 'configmaps') },
  'a pod in the lab': { base: POD, read: (value) => kubernetesWith(value, 'pods') },
  'a merge patch in the lab': {
    base: CONFIG_MAP,
    read: (value) =>
      kubernetesWith(CONFIG_MAP, 'configmaps', { type: 'merge-patch+json', text: JSON.stringify(value) }),
  },
  'a strategic patch in the lab': {
    base: CONFIG_MAP,
    read: (value) =>
      kubernetesWith(CONFIG_MAP, 'configmaps', {
        type: 'strategic-merge-patch+json',
        text: JSON.stringify(value),
      }),
  },
  'an apply in the lab': {
    base: { apiVersion: 'v1', kind: 'ConfigMap', ...CONFIG_MAP },
    read: (value) =>
      kubernetesWith(CONFIG_MAP, 'configmaps', { type: 'apply-patch+yaml', text: JSON.stringify(value) }),
  },
  'a JSON patch in the lab': {
    base: { e: 'f' },
    read: (value) =>
      kubernetesWith(CONFIG_MAP, 'configmaps', {
        type: 'json-patch+json',
        text: JSON.stringify([{ op: 'add', path: '/data', value }]),
      }),
  },
};

function hcl(value: unknown): string {
  if (!isMapping(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `"${key}" = ${hcl(item)}`)
    .join(', ')} }`;
}

/** Every mapping in a value, by its path. */
function places(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => places(item, [...path, index]));
  if (!isMapping(value)) return [];
  return [path, ...Object.entries(value).flatMap(([key, item]) => places(item, [...path, key]))];
}

function withKey(value: unknown, path: readonly (string | number)[], key: string, added: unknown): unknown {
  const copy = structuredClone(value);
  let at: unknown = copy;
  for (const step of path) at = Array.isArray(at) ? at[Number(step)] : isMapping(at) ? at[step] : undefined;
  if (isMapping(at)) setOwn(at, key, added);
  return copy;
}

/** `keys` inside one another: `{ constructor: { prototype: … } }`. */
function nested(keys: readonly string[], value: unknown): unknown {
  return keys.reduceRight((inner, key) => withKey({}, [], key, inner), value);
}

const inner = fc.array(fc.constantFrom(...INHERITED), { maxLength: 2 });
const VALUES: readonly unknown[] = [MARK, { polluted: MARK }, [MARK], { a: { polluted: MARK } }];

describe('inherited names in foreign text', () => {
  it.each(Object.entries(readers))('%s: are kept or refused as any other name', (_, { base, read }) => {
    const cases = places(base).flatMap((path) => INHERITED.map((key) => ({ path, key })));
    // A name that means nothing, in the same place: where it is kept or refused, so are the others.
    const others = new Map<string, boolean>();
    const isOtherKept = (path: (typeof cases)[number]['path'], depth: number, value: unknown): boolean => {
      const key = JSON.stringify([path, depth, value]);
      const text = () => read(withKey(base, path, 'ordinary', nested(Array(depth).fill('inner'), value)));
      const kept = others.get(key) ?? isKept(fateOf(text));
      others.set(key, kept);
      return kept;
    };
    const [sample] = fc.sample(fc.tuple(...cases.map(() => fc.tuple(inner, fc.constantFrom(...VALUES)))), {
      numRuns: 1,
      seed: seed(),
    });
    const lost = cases.flatMap(({ path, key }, index) => {
      const [rest = [], value] = sample?.[index] ?? [];
      const fate = fateOf(() => read(withKey(base, path, key, nested(rest, value))));
      expect(snapshot(), JSON.stringify({ path, key, rest, value })).toEqual(clean);
      return isKept(fate) || !isOtherKept(path, rest.length, value) ? [] : [{ path, key, rest, value, fate }];
    });
    expect(lost).toEqual([]);
  });

  it.each([
    'adopted 0123456789abcdef KEY=1 -KEY',
    'applied KEY=abcdef cores=abcdef',
    'volume 0x5000000000000001 KEY was KEY',
    'drained-from KEY until KEY run KEY',
    'KEY,a;KEY:NoSchedule',
  ])('a note %s', (line) => {
    for (const key of INHERITED) {
      const text = line.replaceAll('KEY', key);
      fateOf(() => [
        adoptionNoteIn(text),
        appliedMarks(text),
        parseDataNotes(text),
        notedDrain(text),
        parseNodeMarks(text),
      ]);
      expect(snapshot()).toEqual(clean);
    }
    const read = line.replaceAll('KEY', '__proto__');
    if (line.startsWith('volume')) expect([...parseDataNotes(read).names.values()]).toEqual(['__proto__']);
    if (line.startsWith('drained')) expect(notedDrain(read)?.host).toBe('__proto__');
    if (line.startsWith('KEY')) expect(parseNodeMarks(read).labels).toEqual(['__proto__', 'a']);
  });

  it.each(INHERITED)('a property string with %s', (key) => {
    expect(Object.entries(parsePropertyString(`${key}=1,a=2`))).toEqual([
      [key, '1'],
      ['a', '2'],
    ]);
    expect(printDrive(parseDrive(`local:x,${key}=1`))).toBe(`local:x,${key}=1`);
    expect(printNet(parseNet(`virtio,${key}=1`))).toBe(`virtio,${key}=1`);
  });
});

describe('inherited names in a path', () => {
  const step = fc.constantFrom(...INHERITED, 'a', 'list', '0', '-', 'length', 'polluted');
  const path = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => `/${steps.join('/')}`);
  const operation = fc.record({
    op: fc.constantFrom('add', 'replace', 'remove', 'move', 'copy', 'test'),
    path,
    from: path,
    value: fc.constantFrom<unknown>(1, { polluted: 1 }, [1], null),
  });

  it('of JSON patches lead nowhere, for machine configs and in the lab', () => {
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 4 }), (operations) => {
        const document = { a: { list: [1, { polluted: 0 }] }, list: [{}] };
        fateOf(() => applyJsonPatch(document, operations as Parameters<typeof applyJsonPatch>[1]));
        fateOf(() => patchText(stringify(machine), [JSON.stringify(operations)]));
        const text = JSON.stringify(operations.map((one) => ({ ...one, path: `/data${one.path}` })));
        fateOf(() => kubernetesWith(CONFIG_MAP, 'configmaps', { type: 'json-patch+json', text }));
        expect(snapshot()).toEqual(clean);
        expect(document).toEqual({ a: { list: [1, { polluted: 0 }] }, list: [{}] });
      }),
      { numRuns: 100 },
    );
  });

  it.each(INHERITED)('a deletion of %s finds only a key that is there', (key) => {
    const deletion = `machine: { kubelet: { extraConfig: { ${key}: { $patch: delete } } } }`;
    expect(fateOf(() => patchText(stringify(machine), [deletion]))).toHaveProperty('refused');
    const having = withKey(machine, ['machine', 'kubelet', 'extraConfig'], key, MARK);
    const fate = fateOf(() => patchText(stringify(having), [deletion]));
    expect(fate).toHaveProperty('shown');
    expect(isKept(fate)).toBe(false);
  });
});

describe('inherited names as references', () => {
  it.each(INHERITED)('a selector with %s finds no label that is not there', (key) => {
    for (const labels of [{}, { a: 'b' }]) {
      const selector = (operator: string) => ({ matchExpressions: [{ key, operator, values: ['x'] }] });
      expect(matchesLabels(selector('Exists'), labels)).toBe(false);
      expect(matchesLabels(selector('DoesNotExist'), labels)).toBe(true);
      expect(matchesLabels(selector('NotIn'), labels)).toBe(true);
      expect(matchesTerms([selector('Exists')], { name: 'n', labels })).toBe(false);
      if (key.startsWith('_')) continue;
      expect(parseLabelSelector(key)(labels)).toBe(false);
      expect(parseLabelSelector(`!${key}`)(labels)).toBe(true);
    }
  });

  it.each(INHERITED)('a secret in env:%s is missing', async (name) => {
    const secret = resolveSecret({ env: {} }, '.', { kind: 'env', name });
    await expect(secret).rejects.toMatchObject({ code: 'secret.missing' });
    const real = resolveSecret({ env: process.env }, '.', { kind: 'env', name });
    await expect(real).rejects.toMatchObject({ code: 'secret.missing' });
  });

  it.each([
    ['constructor', 'name'],
    ['__proto__', 'constructor', 'name'],
    ['cluster', 'constructor', 'name'],
  ])('a secret at %s.%s is missing', async (...key) => {
    const folder = mkdtempSync(join(tmpdir(), 'oxherd-names-'));
    try {
      const identity = await generateX25519Identity();
      const path = join(folder, 'secrets.sops.yaml');
      const sealing = {
        recipients: [await identityToRecipient(identity)],
        now: new Date(0),
        random: (length: number) => new Uint8Array(length),
      };
      const tree = readYaml('cluster: { id: a }\nconstructor: { polluted: kept-mark }\n');
      writeFileSync(path, await encryptSops(isMapping(tree) ? tree : {}, sealing));
      const env = { SOPS_AGE_KEY: identity };
      const missing = resolveSecret({ env }, folder, { kind: 'sops', path, key: key.filter(Boolean) });
      await expect(missing).rejects.toMatchObject({ code: 'secret.missing' });
      const kept = resolveSecret({ env }, folder, { kind: 'sops', path, key: ['constructor', 'polluted'] });
      expect(await kept).toBe(MARK);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each(INHERITED)('the context %s of a talosconfig is missing', (context) => {
    const text = stringify({
      context,
      contexts: { a: { endpoints: ['10.0.0.1'], ca: 'x', crt: 'y', key: 'z' } },
    });
    expect(fateOf(() => readTalosconfig(text, 't'))).toHaveProperty('refused');
  });
});

describe('merges of the lab', () => {
  const json = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>(1, '', null, 'x'),
      fc.array(tie('any'), { maxLength: 2 }),
      tie('object'),
    ),
    object: fc
      .array(fc.tuple(fc.constantFrom(...INHERITED, 'a', 'b'), tie('any')), { maxLength: 3 })
      .map((entries) => Object.fromEntries(entries)),
  }));
  const isObject = (item: unknown): item is Mapping => isMapping(item);

  it('make one object of another, whatever their keys are called', () => {
    const noNulls = (item: unknown): boolean =>
      item !== null &&
      (typeof item !== 'object' ||
        Object.values(item).every((inner) => Array.isArray(inner) || noNulls(inner)));
    fc.assert(
      fc.property(
        json.object.filter(isObject).filter(noNulls),
        json.object.filter(isObject).filter(noNulls),
        (from, to) => {
          const difference = mergePatchBetween(from, to) ?? {};
          expect(sameJson(mergePatch(from, difference), to)).toBe(true);
          strategicMerge(from, to, builtInSchema('core.Pod'));
          expect(snapshot()).toEqual(clean);
        },
      ),
    );
  });
});
