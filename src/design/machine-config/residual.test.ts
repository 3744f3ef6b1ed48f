/** Patches that lead from the designed config to the one a machine has. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadExample } from '../../../test/support/examples.js';
import { parseTalosDocuments } from '../../formats/talos/talos-documents.js';
import { applyPatch, parsePatch } from '../../formats/talos/talos-patch.js';
import { isMapping, type Mapping } from '../../formats/text/mapping.js';
import { parseTalosSecrets } from '../../secrets/talos-secrets.js';
import { design } from '../design-cluster.js';
import { MachineConfigWriter } from './machine-config.js';
import { documentsHash } from './meaning.js';
import { inCommon, residual, residualPatches } from './residual.js';

const config = loadExample('homelab');
const secrets = parseTalosSecrets(
  readFileSync(new URL('../../../test/fixtures/secrets/talos-v1.13/secrets.yaml', import.meta.url), 'utf8'),
  'fixture',
);
const writer = new MachineConfigWriter(config, design(config), { secrets });
const designed = (name: string) => parsed(writer.forNode(name).text());
const parsed = (text: string): Mapping[] => parseTalosDocuments(text).map(({ value }) => value);

function patched(documents: readonly Mapping[], patches: readonly string[]): Mapping[] {
  let targets = parseTalosDocuments(documents.map((each) => JSON.stringify(each)).join('\n---\n')).map(
    ({ apiVersion, kind, name, value }) => ({ apiVersion, kind, name, value }),
  );
  for (const text of patches) targets = applyPatch(targets, parsePatch(text)).documents;
  return targets.map(({ value }) => value);
}

/** As the Terraform module writes it: the network in the main document, EPHEMERAL on whatever is not the system disk. */
function ofModule(name: string): Mapping[] {
  const documents = designed(name).filter(({ kind }) => kind === undefined || kind === 'HostnameConfig');
  const main = documents.find(({ kind }) => kind === undefined);
  const machine = isMapping(main?.machine) ? main.machine : {};
  const { diskSelector: _, ...install } = isMapping(machine.install) ? machine.install : {};
  return [
    {
      ...main,
      machine: {
        ...machine,
        certSANs: [],
        install: { ...install, disk: '/dev/sda', image: 'ghcr.io/siderolabs/installer:v1.12.0' },
        network: {
          interfaces: [
            {
              deviceSelector: { busPath: '0*' },
              addresses: ['10.20.30.51/24'],
              routes: [{ network: '0.0.0.0/0', gateway: '10.20.30.254' }],
              dhcp: false,
            },
          ],
        },
      },
    },
    ...documents.filter(({ kind }) => kind !== undefined),
    {
      apiVersion: 'v1alpha1',
      kind: 'VolumeConfig',
      name: 'EPHEMERAL',
      provisioning: { diskSelector: { match: '!system_disk' } },
    },
    {
      apiVersion: 'v1alpha1',
      kind: 'UserVolumeConfig',
      name: 'data',
      volumeType: 'disk',
      provisioning: { diskSelector: { match: 'disk.size == 7u * GiB' } },
    },
  ];
}

describe('what a machine says differently', () => {
  it('is nothing where nothing differs', () => {
    expect(residual(designed('cp-1'), designed('cp-1'))).toEqual({ differences: [], secret: [] });
    expect(residualPatches([])).toEqual([]);
  });

  it.each(['cp-1', 'work-1'])('leads to the config of the module: %s', (name) => {
    const actual = ofModule(name);
    const { differences, secret } = residual(designed(name), actual);
    expect(secret).toEqual([]);
    expect(documentsHash(patched(designed(name), residualPatches(differences)))).toBe(documentsHash(actual));
  });

  it('says nothing of the cluster’s secrets, and names others instead of writing them', () => {
    const actual = designed('cp-1').map((document) =>
      document.kind === undefined
        ? {
            ...document,
            machine: {
              ...(isMapping(document.machine) ? document.machine : {}),
              token: 'aaaaaa.0123456789abcdef',
              registries: { config: { 'ghcr.io': { auth: { username: 'me', password: 'hunter2hunter2' } } } },
            },
          }
        : document,
    );
    const { differences, secret } = residual(designed('cp-1'), actual);
    expect(JSON.stringify(differences)).not.toMatch(/hunter2|0123456789abcdef/);
    expect(secret).toEqual(['machine.registries']);
  });

  it('is said once where machines agree', () => {
    const lists = ['work-1', 'work-2'].map((name) => residual(designed(name), ofModule(name)).differences);
    const { common, own } = inCommon(lists);
    expect(common.length).toBeGreaterThan(0);
    for (const [i, name] of ['work-1', 'work-2'].entries()) {
      const patches = [...residualPatches(common), ...residualPatches(own[i] ?? [])];
      expect(documentsHash(patched(designed(name), patches))).toBe(documentsHash(ofModule(name)));
    }
  });

  it('leads to any change of flags, lists and labels', () => {
    const change = fc.record({
      sysctls: fc.option(fc.dictionary(fc.constantFrom('a.b', 'c.d'), fc.constantFrom('1', '2')), {
        nil: undefined,
      }),
      nodeLabels: fc.option(fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('', 'v')), {
        nil: undefined,
      }),
      certSANs: fc.option(fc.uniqueArray(fc.constantFrom('a.lan', 'b.lan')), { nil: undefined }),
      kubelet: fc.option(
        fc.record({ extraArgs: fc.dictionary(fc.constantFrom('v', 'w'), fc.constantFrom('1')) }),
        { nil: undefined },
      ),
    });
    fc.assert(
      fc.property(change, ({ sysctls, nodeLabels, certSANs, kubelet }) => {
        const actual = designed('work-1').map((document) =>
          document.kind === undefined
            ? {
                ...document,
                machine: Object.fromEntries(
                  Object.entries({
                    ...(isMapping(document.machine) ? document.machine : {}),
                    sysctls,
                    nodeLabels,
                    certSANs,
                    ...(kubelet && { kubelet }),
                  }).filter(([, value]) => value !== undefined),
                ),
              }
            : document,
        );
        // As Talos reads it: what is empty may be dropped on the way.
        const read = patched(actual, []);
        const { differences } = residual(designed('work-1'), read);
        expect(documentsHash(patched(designed('work-1'), residualPatches(differences)))).toBe(
          documentsHash(read),
        );
      }),
      { numRuns: 60 },
    );
  });
});
