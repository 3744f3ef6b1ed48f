import type { NodeDescription, NodeTaint } from '../../feed.js';
import { listOf, type Obj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';

/**
 * What Talos makes of a node's labels, annotations and taints (controllers/k8s/node_apply.go): it sets what is missing,
 * changes and removes only what it set itself, and keeps what it owns in annotations of the node.
 */
const OWNED = { labels: 'talos.dev/owned-labels', annotations: 'talos.dev/owned-annotations' } as const;
const OWNED_TAINTS = 'talos.dev/owned-taints';
const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';

type Texts = Readonly<Record<string, string>>;

export function withTalosFields(node: KubeObject, description: NodeDescription): KubeObject {
  const { annotations = {}, labels = {} } = node.metadata;
  const role: Texts = description.controlPlane ? { [CONTROL_PLANE]: '' } : {};
  const nextLabels = applied(labels, ownedKeys(annotations[OWNED.labels]), {
    ...role,
    ...description.labels,
  });
  const nextAnnotations = applied(
    annotations,
    ownedKeys(annotations[OWNED.annotations]),
    description.annotations ?? {},
  );
  const spec = objOf(node.spec);
  const taints = appliedTaints(
    listOf(spec.taints).map(objOf),
    ownedKeys(annotations[OWNED_TAINTS]),
    description.taints ?? [],
  );
  return {
    ...node,
    metadata: {
      ...node.metadata,
      labels: nextLabels.values,
      annotations: withOwners(nextAnnotations.values, {
        [OWNED.labels]: nextLabels.owned,
        [OWNED.annotations]: nextAnnotations.owned,
        [OWNED_TAINTS]: taints.owned,
      }),
    },
    spec: { ...spec, taints: taints.values.length > 0 ? taints.values : undefined },
  };
}

function applied(current: Texts, owned: ReadonlySet<string>, wanted: Texts) {
  const values: Record<string, string> = {};
  for (const [key, value] of Object.entries(current)) {
    if (!owned.has(key) || wanted[key] !== undefined) values[key] = value;
  }
  const keeps = new Set<string>();
  for (const [key, value] of Object.entries(wanted)) {
    const taken = values[key] === undefined || values[key] === value || owned.has(key);
    if (!taken) continue;
    values[key] = value;
    keeps.add(key);
  }
  return { values, owned: keeps };
}

function appliedTaints(current: readonly Obj[], owned: ReadonlySet<string>, wanted: readonly NodeTaint[]) {
  const keeps = new Set<string>();
  const values = current.filter(
    (taint) => !owned.has(textOf(taint.key)) || wanted.some((one) => one.key === taint.key),
  );
  for (const taint of wanted) {
    const index = values.findLastIndex((one) => one.key === taint.key);
    const old = values[index];
    if (!old) values.push({ ...taint });
    else if (owned.has(taint.key)) values[index] = { ...old, ...taint };
    else if (textOf(old.value) !== (taint.value ?? '') || old.effect !== taint.effect) continue;
    keeps.add(taint.key);
  }
  return { values, owned: keeps };
}

function ownedKeys(json: string | undefined): ReadonlySet<string> {
  const value: unknown = JSON.parse(json ?? '[]');
  return new Set(listOf(value).map(textOf));
}

function withOwners(annotations: Texts, owners: Readonly<Record<string, ReadonlySet<string>>>): Texts {
  const next: Record<string, string> = { ...annotations };
  for (const [annotation, keys] of Object.entries(owners)) {
    if (keys.size > 0) next[annotation] = JSON.stringify([...keys].sort());
    else delete next[annotation];
  }
  return next;
}
