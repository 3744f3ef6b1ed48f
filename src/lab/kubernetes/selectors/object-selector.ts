import { listOf, type Obj, objOf, stringsOf, textOf } from '../json.js';

/** A `LabelSelector` of an object's spec; an empty one picks everything. */
export function selectorMatches(selector: Obj, labels: Record<string, string>): boolean {
  for (const [key, value] of Object.entries(stringsOf(selector.matchLabels)))
    if (labels[key] !== value) return false;
  return listOf(selector.matchExpressions).every((item) => expressionMatches(objOf(item), labels));
}

/** One expression of a label selector or node selector. */
export function expressionMatches(expression: Obj, labels: Record<string, string>): boolean {
  const value = labels[textOf(expression.key)];
  const values = listOf(expression.values).map(textOf);
  switch (expression.operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

/** As `kubectl` prints a selector: `app=web,tier in (a,b)`. */
export function selectorText(selector: Obj): string {
  const equal = Object.entries(stringsOf(selector.matchLabels)).map(([key, value]) => `${key}=${value}`);
  const set = listOf(selector.matchExpressions)
    .map(objOf)
    .map((item) => {
      const key = textOf(item.key);
      const values = `(${listOf(item.values).map(textOf).join(',')})`;
      if (item.operator === 'Exists') return key;
      if (item.operator === 'DoesNotExist') return `!${key}`;
      return `${key} ${item.operator === 'In' ? 'in' : 'notin'} ${values}`;
    });
  return [...equal, ...set].sort().join(',') || '<none>';
}
