import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configChange } from '../../plan/machines/config-change.js';
import { DOCUMENT_STRUCTS, STRUCT_FIELDS } from '../gen/talos-shapes.js';
import { type Shape, structOf } from '../talos/talos-shapes.js';
import type { Mapping } from '../text/mapping.js';
import { redactDocuments, redactedConfigTexts, redactedTexts } from './redact-talos.js';
import { redactText } from './redact-text.js';
import { isShownType, SHOWN_FIELDS, SHOWN_URLS, URL_TYPES } from './talos-allow-list.js';

interface Leaf {
  readonly path: string;
  readonly document: (secret: string) => Mapping;
}

/** Every place of a document where a text can stand and the allow list does not name it. */
function* leavesOf(
  shape: Shape,
  path: string,
  depth = 0,
): Generator<{ path: string; put: (s: string) => unknown }> {
  if (depth > 9) return;
  switch (shape.kind) {
    case 'pointer':
      yield* leavesOf(shape.to, path, depth);
      return;
    case 'list':
      for (const leaf of leavesOf(shape.item, `${path}[]`, depth + 1))
        yield { path: leaf.path, put: (s) => ['x', leaf.put(s)] };
      return;
    case 'map':
      for (const leaf of leavesOf(shape.item, `${path}{}`, depth + 1))
        yield { path: leaf.path, put: (s) => ({ key: leaf.put(s) }) };
      return;
    case 'any':
      yield { path, put: (s) => s };
      return;
    case 'opaque':
      if (!isShownType(shape.name) && !URL_TYPES.includes(shape.name)) yield { path, put: (s) => s };
      if (URL_TYPES.includes(shape.name)) yield { path, put: (s) => `https://user:${s}@host/x?token=${s}` };
      return;
    case 'scalar':
      if (shape.scalar === 'string' || shape.scalar === 'bytes') yield { path, put: (s) => s };
      return;
    case 'struct': {
      const struct = structOf(shape.name);
      for (const [key, field] of struct.fields) {
        if (SHOWN_FIELDS[shape.name]?.includes(key)) continue;
        if (shape.name.endsWith('V1Alpha1') && ['apiVersion', 'kind', 'name'].includes(key)) continue;
        for (const leaf of leavesOf(field.shape, `${path}.${key}`, depth + 1))
          yield { path: leaf.path, put: (s) => ({ [key]: leaf.put(s) }) };
      }
      if (struct.open) {
        yield { path: `${path}.*`, put: (s) => ({ anything: { list: [s], text: s } }) };
      }
    }
  }
}

const LEAVES: readonly Leaf[] = Object.entries(DOCUMENT_STRUCTS).flatMap(([kind, name]) =>
  [...leavesOf({ kind: 'struct', name }, kind)].map(({ path, put }) => ({
    path,
    document: (secret: string): Mapping => {
      const value = put(secret) as Mapping;
      return kind === 'v1alpha1' ? value : { apiVersion: 'v1alpha1', kind, ...value };
    },
  })),
);

const secrets = fc.stringMatching(/^[A-Za-z0-9]{6,20}-s3cr3t$/);

describe('the redactor', () => {
  it('knows the parts of a config that people hide things in', () => {
    const paths = LEAVES.map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(140);
    for (const path of [
      'v1alpha1.machine.files[].content',
      'v1alpha1.machine.env{}',
      'v1alpha1.cluster.apiServer.extraArgs{}',
      'v1alpha1.cluster.inlineManifests[].contents',
      'ExtensionServiceConfig.configFiles[].content',
      'ExtensionServiceConfig.environment[]',
    ])
      expect(paths).toContain(path);
  });

  it('hides a secret at every text that the allow list does not name', () => {
    fc.assert(
      fc.property(secrets, secrets, (secret, other) => {
        for (const { path, document } of LEAVES) {
          const before = redactDocuments([document(secret)]);
          const after = redactDocuments([document(other)]);
          expect(JSON.stringify(before), path).not.toContain(secret);
          const change = configChange(JSON.stringify(before), JSON.stringify(after), 'v1.14.1');
          expect(JSON.stringify(change), path).not.toContain(secret);
          expect(JSON.stringify(change), path).not.toContain(other);
          expect(change.diff, path).not.toMatch(/#[0-9a-f]{6}/);
          if (secret !== other) expect(change.diff, path).toContain('(redacted) (changed)');
        }
      }),
      { numRuns: 5 },
    );
  });

  it('takes it out of what a machine says of it', () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        for (const { path, document } of LEAVES) {
          const answer = `error decoding: unknown key "x": ${JSON.stringify(document(secret))}`;
          expect(redactText(answer, redactedTexts([document(secret)])), path).not.toContain(secret);
          const text = JSON.stringify(document(secret));
          expect(redactText(answer, redactedConfigTexts(text)), path).not.toContain(secret);
        }
      }),
      { numRuns: 3 },
    );
  });

  it('shows what people need to see of a change', () => {
    const shown = {
      machine: {
        type: 'worker',
        sysctls: { 'vm.max_map_count': '262144' },
        nodeLabels: { zone: 'a' },
        install: { image: 'factory.talos.dev/installer/abc:v1.14.1' },
        kubelet: {
          image: 'ghcr.io/siderolabs/kubelet:v1.36.0',
          extraArgs: { 'feature-gates': 'X=true' },
          extraConfig: { maxPods: 200, evictionHard: { 'memory.available': '5%' } },
        },
        files: [{ path: '/var/x', op: 'create' }],
      },
    };
    expect(redactDocuments([shown])).toEqual([shown]);
  });

  it('names only structs and fields that Talos has', () => {
    for (const [struct, fields] of [...Object.entries(SHOWN_FIELDS), ...Object.entries(SHOWN_URLS)])
      for (const field of fields) expect(STRUCT_FIELDS[struct], `${struct}.${field}`).toHaveProperty([field]);
  });
});
