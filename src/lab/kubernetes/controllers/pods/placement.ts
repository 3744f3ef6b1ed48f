import { at, isObj, listOf, type Obj, objOf, stringsOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { expressionMatches } from '../../selectors/object-selector.js';

/** Node selector and required node affinity: whether a pod may ever run there. */
export function nodeFits(spec: Obj, node: KubeObject): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(stringsOf(spec.nodeSelector)))
    if (labels[key] !== value) return false;
  const required = at(spec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  return !isObj(required) || selectorTermsFit(required, node);
}

/** Terms are alternatives, the expressions of one all hold. */
export function selectorTermsFit(selector: Obj, node: KubeObject): boolean {
  const labels = node.metadata.labels ?? {};
  const fields = { 'metadata.name': node.metadata.name };
  return listOf(selector.nodeSelectorTerms)
    .map(objOf)
    .some((term) => {
      const expressions = listOf(term.matchExpressions).map(objOf);
      const named = listOf(term.matchFields).map(objOf);
      if (expressions.length === 0 && named.length === 0) return false;
      return (
        expressions.every((item) => expressionMatches(item, labels)) &&
        named.every((item) => expressionMatches(item, fields))
      );
    });
}

/** The first taint of these effects that the pod does not tolerate. */
export function untolerated(spec: Obj, node: KubeObject, effects: readonly string[]): Obj | undefined {
  const tolerations = listOf(spec.tolerations).map(objOf);
  return listOf(at(node, 'spec', 'taints'))
    .map(objOf)
    .find(
      (taint) =>
        effects.includes(textOf(taint.effect)) && !tolerations.some((item) => tolerates(item, taint)),
    );
}

export function tolerates(toleration: Obj, taint: Obj): boolean {
  if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false;
  const exists = toleration.operator === 'Exists';
  if (toleration.key === undefined) return exists;
  if (toleration.key !== taint.key) return false;
  return exists || textOf(toleration.value) === textOf(taint.value);
}
