/** Terms of a node selector or a node affinity, as the scheduler reads them. */
import type { NodeSelectorTerm } from 'kubernetes-types/core/v1.js';
import { matchesExpression } from './label-selector.js';

/** One of the terms; within a term, all of it. */
export function matchesTerms(
  terms: readonly NodeSelectorTerm[],
  { name, labels }: { readonly name: string | undefined; readonly labels: Readonly<Record<string, string>> },
): boolean {
  return terms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length + matchFields.length === 0) return false;
    return (
      matchExpressions.every((one) => matchesExpression(labels[one.key], one)) &&
      matchFields.every((one) => matchesExpression(name, one))
    );
  });
}
