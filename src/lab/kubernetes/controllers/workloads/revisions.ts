import { at, numberOf, type Obj, objOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { sameTemplate, templateHash } from '../pods/pods.js';
import { ownerReference, type World } from '../world.js';

const REVISIONS = 'controllerrevisions.apps';
const HISTORY = 10;

/** The hash of a set's template: a revision that is equal keeps its own, whatever cluster it comes from. */
export function revisionHash(world: World, set: KubeObject): string {
  const template = objOf(at(set, 'spec', 'template'));
  const fresh = templateHash(template);
  const all = revisionsOf(world, set);
  if (all.some((revision) => revision.metadata.name === `${set.metadata.name}-${fresh}`)) return fresh;
  const equal = all.findLast((revision) => sameTemplate(templateIn(revision), template));
  return equal?.metadata.name.slice(set.metadata.name.length + 1) ?? fresh;
}

/** Oldest first. */
function revisionsOf(world: World, set: KubeObject): KubeObject[] {
  return world.controlled(REVISIONS, set).toSorted((a, b) => numberOf(a.revision) - numberOf(b.revision));
}

/**
 * What a daemon set or stateful set was and can go back to: one revision per template, the newest with the highest
 * number. `label` names the hash on the revision; `nameOf`: the revision that a pod's own label stands for.
 */
export function keepRevisions(
  world: World,
  set: KubeObject,
  hash: string,
  label: string,
  nameOf: (hash: string) => string,
): void {
  const template = objOf(at(set, 'spec', 'template'));
  const name = `${set.metadata.name}-${hash}`;
  const all = revisionsOf(world, set);
  const latest = numberOf(all.at(-1)?.revision);
  const known = all.find((revision) => revision.metadata.name === name);
  if (!known) {
    world.create(REVISIONS, set.metadata.namespace, {
      metadata: {
        name,
        labels: { ...objOf(objOf(template.metadata).labels), [label]: hash },
        ...(set.metadata.annotations ? { annotations: set.metadata.annotations } : {}),
        ownerReferences: [ownerReference(set)],
      },
      data: { spec: { template: { ...template, $patch: 'replace' } } },
      revision: latest + 1,
    });
  } else if (numberOf(known.revision) < latest) {
    // Back to an old template: its revision is the newest again.
    world.update(REVISIONS, { ...known, revision: latest + 1 });
  }
  const limit = numberOf(at(set, 'spec', 'revisionHistoryLimit'), HISTORY);
  if (all.length <= limit) return;
  const hashes = world
    .controlled('pods', set)
    .map((pod) => pod.metadata.labels?.['controller-revision-hash']);
  const inUse = new Set([name, ...hashes.map((of) => nameOf(of ?? ''))]);
  const old = all.filter((one) => !inUse.has(one.metadata.name));
  for (const revision of old.slice(0, Math.max(0, old.length - limit))) world.remove(REVISIONS, revision);
}

/** As the patch that brings it back has it. */
function templateIn(revision: KubeObject): Obj {
  const { $patch: _, ...template } = objOf(at(revision, 'data', 'spec', 'template'));
  const { creationTimestamp, ...metadata } = objOf(template.metadata);
  return creationTimestamp === null ? { ...template, metadata } : template;
}
