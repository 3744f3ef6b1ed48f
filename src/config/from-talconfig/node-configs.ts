/** Keys that talhelper has for a node and for a role alike (NodeConfigs): ours where there is one, else a patch. */
import { isMapping } from '../../formats/text/mapping.js';
import type { Section } from '../foreign/section.js';
import type { Translation } from '../foreign/translation.js';
import type { Path } from '../yaml/position.js';
import { type Patch, type PatchInput, readPatch } from './patches.js';

/** Parts of the v1alpha1 document, by talhelper's key. */
const IN_MACHINE: Readonly<Record<string, (value: unknown) => Readonly<Record<string, unknown>>>> = {
  nodeAnnotations: (value) => ({ machine: { nodeAnnotations: value } }),
  machineFiles: (value) => ({ machine: { files: value } }),
  machineDisks: (value) => ({ machine: { disks: value } }),
  kernelModules: (value) => ({ machine: { kernel: { modules: value } } }),
  disableSearchDomain: (value) => ({ machine: { network: { disableSearchDomain: value } } }),
  certSANs: (value) => ({ machine: { certSANs: value } }),
};

/** Documents of their own, one for each entry. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  extensionServices: 'ExtensionServiceConfig',
  userVolumes: 'UserVolumeConfig',
  volumes: 'VolumeConfig',
};

/** Of no meaning here; the table in docs/coming-from.md says why of each. */
const WITHOUT_MEANING = ['noSchematicValidate', 'overrideMachineCertSANs', 'imageSchematic'] as const;

/** `here`: a node, or a level of `defaults`. Gives the patches, which have another place for roles than for nodes. */
export function translateNodeConfigs(
  section: Section,
  values: Readonly<Record<string, unknown>>,
  here: (key: string) => string[],
  to: Translation,
  input: PatchInput,
): readonly Patch[] {
  to.move(here('dns'), section.texts('nameservers'), (servers) => [...servers]);
  translateLabels(section, values, here, to);
  for (const key of WITHOUT_MEANING) section.has(key);
  for (const key of ['overridePatches', 'overrideExtraManifests'] as const) {
    if (!section.flag(key)?.value) continue;
    section.warn(
      [...section.path, key],
      'talconfig.override',
      'patches of nodes come after those of their role',
      'leave out what the node replaces',
    );
  }
  return [...partsOf(section, values), ...firewall(section, values), ...ownPatches(section, values, input)];
}

function translateLabels(
  section: Section,
  values: Readonly<Record<string, unknown>>,
  here: (key: string) => string[],
  to: Translation,
): void {
  section.has('nodeLabels', 'nodeTaints');
  const { nodeLabels: labels, nodeTaints: taints } = values;
  if (isMapping(labels)) {
    to.put(
      here('labels'),
      // A list or mapping stays one, so that the schema refuses it.
      Object.fromEntries(
        Object.entries(labels).map(([key, value]) => [key, isScalar(value) ? String(value ?? '') : value]),
      ),
      [...section.path, 'nodeLabels'],
    );
  }
  if (!isMapping(taints)) return;
  // `key: value:Effect`, as in the machine config.
  const list = Object.entries(taints).map(([key, text]) => {
    if (!isScalar(text)) return { key, effect: text };
    const [value = '', effect] = String(text).includes(':') ? String(text).split(':') : ['', String(text)];
    return { key, ...(value !== '' && { value }), effect };
  });
  to.put(here('taints'), list, [...section.path, 'nodeTaints']);
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function partsOf(section: Section, values: Readonly<Record<string, unknown>>): Patch[] {
  const parts: Patch[] = [];
  for (const [key, patchOf] of Object.entries(IN_MACHINE)) {
    section.has(key);
    const value = values[key];
    if (value !== undefined && value !== null) parts.push(patchOf(value));
  }
  for (const [key, kind] of Object.entries(DOCUMENTS)) {
    section.has(key);
    const entries: readonly unknown[] = Array.isArray(values[key]) ? values[key] : [];
    for (const entry of entries) if (isMapping(entry)) parts.push({ apiVersion: 'v1alpha1', kind, ...entry });
  }
  return parts;
}

function firewall(section: Section, values: Readonly<Record<string, unknown>>): Patch[] {
  section.has('ingressFirewall');
  const { ingressFirewall } = values;
  if (!isMapping(ingressFirewall)) return [];
  const rules: readonly unknown[] = Array.isArray(ingressFirewall.rules) ? ingressFirewall.rules : [];
  return [
    {
      apiVersion: 'v1alpha1',
      kind: 'NetworkDefaultActionConfig',
      ingress: ingressFirewall.defaultAction ?? 'accept',
    },
    ...rules
      .filter(isMapping)
      .map((rule) => ({ apiVersion: 'v1alpha1', kind: 'NetworkRuleConfig', ...rule })),
  ];
}

function ownPatches(
  section: Section,
  values: Readonly<Record<string, unknown>>,
  input: PatchInput,
): readonly Patch[] {
  const from = (key: 'patches' | 'extraManifests') => {
    section.has(key);
    const list: readonly unknown[] = Array.isArray(values[key]) ? values[key] : [];
    const entries = key === 'extraManifests' ? list.map((file) => `@${String(file)}`) : list;
    return entries.flatMap((entry, i) => readPatch(entry, placeOf(section.path, key, i), input));
  };
  return [...from('patches'), ...from('extraManifests')];
}

function placeOf(path: Path, key: string, index: number): Path {
  return [...path, key, index];
}
