import { describe, expect, it } from 'vitest';
import {
  configText,
  fixture,
  maskLines,
  type RecordedConfig,
} from '../../../test/recordings/talos/recorded-config.js';
import { parseVersion } from '../../model/version.js';
import { isDuration } from './talos-decode.js';
import { formatTalosDocuments, parseTalosDocuments } from './talos-documents.js';
import { kindKnownTo } from './talos-versions.js';

interface Verdict {
  readonly name: string;
  readonly base: RecordedConfig['base'];
  readonly patch?: Omit<RecordedConfig, 'base'>;
  readonly full?: string;
  readonly verdict: { readonly errors: readonly string[] };
}
const verdicts: readonly Verdict[] = JSON.parse(fixture('validate.json'));

function refusal(text: string): string {
  try {
    parseTalosDocuments(text);
    return '';
  } catch (error) {
    return error instanceof Error ? maskLines(error.message).trim() : 'not an error';
  }
}
const textOf = ({ base, patch, full }: Verdict): string =>
  configText({ base, ...patch, ...(full !== undefined && { full }) });

/** What the loader says, before any rule of a document is asked. */
const isLoaderError = (error: string): boolean =>
  /^(error decoding|duplicate|decode error|config not found|expected a)/.test(error);
const firstLoaderError = ({ verdict }: Verdict): string => verdict.errors.find(isLoaderError) ?? '';

describe('the loader (recorded with v1.14.1)', () => {
  const refused = verdicts.filter((each) => firstLoaderError(each) !== '');
  const taken = verdicts.filter((each) => firstLoaderError(each) === '');

  it.each(refused)('refuses in the same words: $name', (recorded) => {
    expect(refusal(textOf(recorded))).toBe(firstLoaderError(recorded).trim());
  });

  it('takes everything else, whatever the rules say later', () => {
    expect(refused.length + taken.length).toBe(185);
    expect(taken.map((recorded) => refusal(textOf(recorded))).filter((message) => message !== '')).toEqual(
      [],
    );
  });

  it('gives the documents back as they were', () => {
    const documents = parseTalosDocuments(fixture('base/controlplane.yaml'));
    const again = parseTalosDocuments(formatTalosDocuments(documents.map(({ value }) => value)));
    expect(again.map(({ value }) => value)).toEqual(documents.map(({ value }) => value));
  });
});

describe('values', () => {
  const label = (text: string): unknown =>
    parseTalosDocuments(`machine:\n  nodeLabels:\n    a: ${text}\n`)[0]?.value;

  it('of text keys stay as written', () => {
    expect(label('1.10')).toEqual({ machine: { nodeLabels: { a: '1.10' } } });
    expect(label('yes')).toEqual({ machine: { nodeLabels: { a: 'yes' } } });
  });

  it('of boolean keys may be the old words', () => {
    expect(parseTalosDocuments('debug: off\n')[0]?.value).toEqual({ debug: false });
  });

  it('may come by an anchor', () => {
    const text = 'machine:\n  nodeLabels: &x { a: b }\n  nodeAnnotations: *x\n';
    expect(parseTalosDocuments(text)[0]?.value).toEqual({
      machine: { nodeLabels: { a: 'b' }, nodeAnnotations: { a: 'b' } },
    });
  });
});

describe('kinds by version', () => {
  const knows = (kind: string, version: string): boolean => {
    const parsed = parseVersion(version);
    return parsed !== undefined && kindKnownTo(kind, parsed);
  };

  it.each([
    ['v1alpha1', 'v1.12.0', true],
    ['LinkConfig', 'v1.12.0', true],
    ['VRFConfig', 'v1.12.3', false],
    ['VRFConfig', 'v1.13.0', true],
    ['KubeNodeConfig', 'v1.13.9', false],
    ['KubeNodeConfig', 'v1.14.1', true],
    ['NoSuchConfig', 'v1.14.1', false],
  ])('%s in %s: %s', (kind, version, known) => {
    expect(knows(kind, version)).toBe(known);
  });
});

describe('durations', () => {
  it.each([
    ['2m0s', true],
    ['1h30m', true],
    ['100ms', true],
    ['0', true],
    ['5 minutes', false],
    ['2', false],
  ])('%s: %s', (text, good) => {
    expect(isDuration(text)).toBe(good);
  });
});
