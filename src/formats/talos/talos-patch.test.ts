import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Mapping } from '../text/mapping.js';
import { MAIN_KIND, parseTalosDocuments } from './talos-documents.js';
import { applyPatch, parsePatch, patchText, withEmptyFields } from './talos-patch.js';

const fixture = (path: string): string =>
  readFileSync(new URL(`../../../test/fixtures/formats/talos-patches/${path}`, import.meta.url), 'utf8');

interface Recording {
  readonly name: string;
  readonly base: string;
  readonly patches: readonly string[];
  readonly ok: boolean;
  readonly result?: string;
  readonly error?: string;
}
const recordings: readonly Recording[] = JSON.parse(fixture('patches.json'));

const kindOf = (value: Mapping): string => (typeof value.kind === 'string' ? value.kind : MAIN_KIND);
const plain = (text: string): unknown[] => parseAllDocuments(text).map((document) => document.toJS());

describe('patches of `talosctl machineconfig patch` (recorded with v1.14.1)', () => {
  const good = recordings.filter((recording) => recording.ok);
  const refused = recordings.filter((recording) => !recording.ok);

  it('are all there', () => {
    expect([good.length, refused.length]).toEqual([64, 9]);
  });

  it.each(good)('$name', ({ base, patches, result = '' }) => {
    const patched = patchText(fixture(`base/${base}`), patches);
    // After a JSON patch talosctl prints the bytes as they are, else it writes its structs again.
    const rewritten = !patches.at(-1)?.startsWith('[');
    const ours = patched.map((value) => (rewritten ? withEmptyFields(value, kindOf(value)) : value));
    expect(ours).toEqual(plain(result));
  });

  it.each(refused)('refused: $name', ({ base, patches, error = '' }) => {
    const masked = (text: string): string => text.replaceAll(/line \d+/g, 'line <n>').trim();
    let message = '';
    try {
      patchText(fixture(`base/${base}`), patches);
    } catch (thrown) {
      message = thrown instanceof Error ? thrown.message : '';
    }
    // The words after `decode error:` are the YAML library's.
    const expected = error.startsWith('decode error:') ? 'decode error:' : error.trim();
    expect(masked(message).slice(0, expected.length)).toBe(expected);
  });
});

describe('warnings', () => {
  const volumes = parseTalosDocuments(fixture('base/patch-volumes.yaml'));
  const warningsOf = (text: string): readonly unknown[] => applyPatch(volumes, parsePatch(text)).warnings;

  it('name what a patch of a volume erases', () => {
    expect(
      warningsOf(
        'apiVersion: v1alpha1\nkind: VolumeConfig\nname: EPHEMERAL\nprovisioning:\n  maxSize: 40GiB\n',
      ),
    ).toEqual([
      { document: 'v1alpha1/VolumeConfig/EPHEMERAL', path: 'provisioning.diskSelector.match' },
      { document: 'v1alpha1/VolumeConfig/EPHEMERAL', path: 'provisioning.minSize' },
    ]);
    expect(warningsOf('apiVersion: v1alpha1\nkind: LinkAliasConfig\nname: net0\n')).toEqual([
      { document: 'v1alpha1/LinkAliasConfig/net0', path: 'selector.match' },
    ]);
  });

  it('are silent where the patch repeats it, or patches something else', () => {
    expect(warningsOf('apiVersion: v1alpha1\nkind: BondConfig\nname: bond0\nlinks: [eth2]\n')).toEqual([]);
    expect(
      warningsOf(
        "apiVersion: v1alpha1\nkind: RawVolumeConfig\nname: raw\nprovisioning:\n  diskSelector:\n    match: '!system_disk'\n  minSize: 6GiB\n",
      ),
    ).toEqual([]);
  });
});

describe('documents that are merged', () => {
  it('leave the text they came from alone', () => {
    const documents = parseTalosDocuments(fixture('base/patch-docs.yaml'));
    const before = structuredClone(documents);
    applyPatch(
      documents,
      parsePatch(
        'machine:\n  certSANs: [a]\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\nmtu: 9000\n',
      ),
    );
    expect(documents).toEqual(before);
  });
});
