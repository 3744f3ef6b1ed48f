import { at, numberOf, objOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { templateHash } from '../pods/pods.js';
import { ownerReference, type World } from '../world.js';

const REVISIONS = 'controllerrevisions.apps';
const HISTORY = 10;

/**
 * What a daemon set or stateful set was and can go back to: one revision per template, the newest with the highest
 * number. `label` names the hash on the revision; `nameOf`: the revision that a pod's own label stands for.
 */
export function keepRevisions(
  world: World,
  set: KubeObject,
  label: string,
  nameOf: (hash: string) => string,
): void {
  const template = objOf(at(set, 'spec', 'template'));
  const hash = templateHash(template);
  const name = `${set.metadata.name}-${hash}`;
  const all = world
    .controlled(REVISIONS, set)
    .toSorted((a, b) => numberOf(a.revision) - numberOf(b.revision));
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
