/** The user's fragments and patches, in the order in which they apply: cluster, all, role, node. */

import { stringify } from 'yaml';
import type { Config, NodeConfig, PatchSource } from '../../config/config.js';
import type { Fragment } from '../../config/config-values.js';
import { redactedConfigTexts } from '../../formats/redact/redact-talos.js';
import { redactText } from '../../formats/redact/redact-text.js';
import { applyPatch, type Patch, type PatchTarget, parsePatch } from '../../formats/talos/talos-patch.js';
import { keysUnknownTo, kindKnownTo, MAIN_KIND } from '../../formats/talos/talos-versions.js';
import type { Mapping } from '../../formats/text/mapping.js';
import { OxherdError } from '../../model/error.js';
import { formatMinor } from '../../model/version.js';
import { refuseCollisions } from './patch-collisions.js';

export interface PatchNotice {
  readonly node: string;
  /** The file or the place in the config that the patch came from. */
  readonly origin: string;
  readonly message: string;
}

export function patchesFor(config: Config, node: NodeConfig): readonly PatchSource[] {
  const { patches } = config.talos;
  return [...fragments(config, node), ...patches.all, ...patches[node.role], ...node.patches];
}

function fragments({ cluster }: Config, node: NodeConfig): PatchSource[] {
  const found: PatchSource[] = [];
  const add = (origin: string, value: Mapping): void => {
    found.push({ origin, text: stringify(value, { compat: 'yaml-1.1' }) });
  };
  if (cluster.apiServer && node.role === 'controlplane')
    add('cluster.apiServer', { cluster: { apiServer: cluster.apiServer } });
  if (cluster.kubelet) add('cluster.kubelet', { machine: { kubelet: cluster.kubelet } });
  const features = featuresFor(cluster.machineFeatures, node);
  if (features) add('cluster.machineFeatures', { machine: { features } });
  return found;
}

/** Talos refuses access of pods to its API on workers, whatever it says. */
function featuresFor(features: Fragment | undefined, { role }: NodeConfig): Fragment | undefined {
  if (!features || role === 'controlplane') return features;
  const { kubernetesTalosAPIAccess: _, ...rest } = features;
  return Object.keys(rest).length > 0 ? rest : undefined;
}

/** Parses each text once, however many nodes it is for. */
export class PatchCache {
  readonly #parsed = new Map<string, Patch>();

  parse({ text, origin }: PatchSource): Patch {
    let patch = this.#parsed.get(text);
    if (!patch) {
      patch = refusing({ text, origin }, () => parsePatch(text));
      this.#parsed.set(text, patch);
    }
    return patch;
  }
}

export function applyPatches(
  documents: readonly Mapping[],
  sources: readonly PatchSource[],
  { cache, node, notices }: { cache: PatchCache; node: NodeConfig; notices: PatchNotice[] },
): Mapping[] {
  if (sources.length === 0) return [...documents];
  let targets: PatchTarget[] = documents.map(asTarget);
  for (const source of sources) {
    const patch = cache.parse(source);
    const { documents: patched, warnings } = refusing(source, () => applyPatch(targets, patch));
    targets = patched;
    for (const { document, path } of warnings) {
      notices.push({
        node: node.name,
        origin: source.origin,
        message: `this patch of ${document} erases ${path}: Talos drops it unless the patch repeats it`,
      });
    }
    refuseUnknownKinds(targets, source, node);
    refuseCollisions(
      targets.map(({ value }) => value),
      source.origin,
      node.name,
    );
  }
  return targets.map(({ value }) => value);
}

function refuseUnknownKinds(
  targets: readonly PatchTarget[],
  { origin }: PatchSource,
  node: NodeConfig,
): void {
  for (const { kind, value } of targets) {
    const known = kindKnownTo(kind, node.talosVersion);
    const [key] = known ? keysUnknownTo(kind, value, node.talosVersion) : [];
    if (known && key === undefined) continue;
    const what = key === undefined ? kind : `\`${key}\`${kind === MAIN_KIND ? '' : ` in ${kind}`}`;
    throw new OxherdError(
      'design.patch-kind',
      `${node.name}: Talos ${formatMinor(node.talosVersion)} knows no ${what}`,
      {
        where: origin,
        advice: `Take the ${key === undefined ? 'document' : 'key'} out of the patches, or raise talos.version.`,
      },
    );
  }
}

function asTarget(value: Mapping): PatchTarget {
  const text = (key: string): string => (typeof value[key] === 'string' ? String(value[key]) : '');
  return { apiVersion: text('apiVersion'), kind: text('kind') || MAIN_KIND, name: text('name'), value };
}

function refusing<T>({ origin, text }: PatchSource, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    const reason = redactText(cause.message.trim(), redactedConfigTexts(text));
    throw new OxherdError('design.patch', `the patch ${origin} is refused: ${reason}`, {
      where: origin,
      advice: 'Compare it with the machine config reference of this Talos version.',
    });
  }
}
