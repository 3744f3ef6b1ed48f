/** Selectors of labels as objects of the Kubernetes API write them, in specs of workloads, budgets and affinities. */
import { ownValue } from '../text/mapping.js';

interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelExpression[];
}

export interface LabelExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** An empty selector picks everything. */
export function matchesLabels(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => ownValue(labels, key) === value) &&
    matchExpressions.every((expression) => matchesExpression(ownValue(labels, expression.key), expression))
  );
}

/** One requirement on a value, of a label selector or a node selector; `undefined`: there is no such label. */
export function matchesExpression(
  value: string | undefined,
  { operator, values = [] }: Pick<LabelExpression, 'operator' | 'values'>,
): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return integer(value) > integer(values[0]);
    case 'Lt':
      return integer(value) < integer(values[0]);
    default:
      return false;
  }
}

/** What is not a whole number is neither greater nor less. */
function integer(text: string | undefined): number {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
}
