/** Terms of a node selector or a node affinity, as the scheduler reads them. */
import { ownValue } from '../text/mapping.js';
import { type LabelExpression, matchesExpression } from './label-selector.js';

/** A term by its shape alone: types of the library name no foreign ones. */
export interface NodeTerm {
  readonly matchExpressions?: readonly LabelExpression[];
  readonly matchFields?: readonly LabelExpression[];
}

/** One of the terms; within a term, all of it. */
export function matchesTerms(
  terms: readonly NodeTerm[],
  { name, labels }: { readonly name: string | undefined; readonly labels: Readonly<Record<string, string>> },
): boolean {
  return terms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length + matchFields.length === 0) return false;
    return (
      matchExpressions.every((one) => matchesExpression(ownValue(labels, one.key), one)) &&
      matchFields.every((one) => matchesExpression(name, one))
    );
  });
}
