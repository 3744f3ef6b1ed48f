import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomConfigText } from '../../../test/fixtures/design/machine-config/random-config.js';
import { config } from '../../../test/support/design/config.js';
import type { Config } from '../../config/config.js';
import { loadConfig } from '../../config/load.js';
import { parseTalosDocuments } from '../../formats/talos/talos-documents.js';
import { wwidOf } from '../../model/identity.js';
import { parseTalosSecrets } from '../../secrets/talos-secrets.js';
import { design } from '../design-cluster.js';
import { MachineConfigWriter, machineConfig } from './machine-config.js';
import { machineConfigHash } from './meaning.js';

const SECRETS = new URL('../../../test/fixtures/secrets/talos-v1.13/secrets.yaml', import.meta.url);
const secrets = parseTalosSecrets(readFileSync(SECRETS, 'utf8'), 'fixture');

function load(text: string): Config {
  const { config: loaded, diagnostics } = loadConfig({
    path: 'oxherd.yaml',
    text,
    readText: () => undefined,
  });
  if (!loaded) throw new Error(diagnostics.map((diagnostic) => diagnostic.message).join('\n'));
  return loaded;
}

describe('any valid config', () => {
  const cases = fc.integer({ min: 0, max: 100_000 }).map((seed) => load(randomConfigText(seed)));

  it('gives documents that Talos can read, the same ones from text and from memory', () => {
    fc.assert(
      fc.property(cases, (valid) => {
        const designed = design(valid);
        const writer = new MachineConfigWriter(valid, designed, { secrets });
        for (const { name } of designed.nodes) {
          const made = writer.forNode(name);
          expect(parseTalosDocuments(made.text()).map(({ value }) => value)).toEqual(
            JSON.parse(JSON.stringify(made.documents)),
          );
        }
      }),
      { numRuns: 12 },
    );
  });

  it('selects each volume on exactly one disk of its node', () => {
    fc.assert(
      fc.property(cases, (valid) => {
        const designed = design(valid);
        const writer = new MachineConfigWriter(valid, designed);
        for (const node of designed.nodes) {
          const wwids = node.drives.map((drive) => `disk.wwid == "${wwidOf(drive.wwn)}"`);
          const selectors = writer
            .forNode(node.name)
            .documents.flatMap(
              (document) =>
                JSON.stringify(document.provisioning ?? {}).match(/disk\.wwid == \\"[^"]+\\"/g) ?? [],
            )
            .map((text) => text.replaceAll('\\', ''));
          expect(selectors.length).toBeGreaterThan(0);
          for (const selector of selectors) expect(wwids.filter((wwid) => wwid === selector)).toHaveLength(1);
        }
      }),
      { numRuns: 12 },
    );
  });

  it('has one hash with and without secrets, and a redacted text without any', () => {
    fc.assert(
      fc.property(cases, (valid) => {
        const designed = design(valid);
        const name = designed.nodes[0]?.name ?? '';
        const full = new MachineConfigWriter(valid, designed, { secrets }).forNode(name);
        const bare = new MachineConfigWriter(valid, designed).forNode(name);
        expect(full.hash()).toBe(bare.hash());
        expect(machineConfigHash(full.text())).toBe(full.hash());
        const redacted = full.comparable();
        for (const secret of [
          secrets.certs.os.key,
          secrets.certs.k8s.key,
          secrets.trustdinfo.token,
          secrets.cluster.secret,
          secrets.secrets.bootstraptoken,
        ]) {
          expect(redacted).not.toContain(secret);
        }
        expect(redacted).toContain('(redacted)');
      }),
      { numRuns: 10 },
    );
  });
});

describe('the hash', () => {
  it('follows the meaning', () => {
    const one = config();
    const other = config({ network: { ...one.network, ntp: ['time.cloudflare.com'] } });
    const hash = (value: Config): string =>
      machineConfigHash(machineConfig(value, design(value), 'cp-1', { secrets }));
    expect(hash(one)).not.toBe(hash(other));
    const text = machineConfig(one, design(one), 'cp-1', { secrets });
    expect(machineConfigHash(`# a comment\n${text}`)).toBe(hash(one));
  });
});
