import {
  type LabelExpression,
  matchesExpression,
  matchesLabels,
} from '../../../formats/kubernetes/label-selector.js';
import { ownValue } from '../../../formats/text/mapping.js';
import { listOf, type Obj, objOf, stringsOf, textOf } from '../json.js';

/** A `LabelSelector` of an object's spec. */
export function selectorMatches(selector: Obj, labels: Record<string, string>): boolean {
  return matchesLabels(
    {
      matchLabels: stringsOf(selector.matchLabels),
      matchExpressions: listOf(selector.matchExpressions).map((item) => expressionOf(objOf(item))),
    },
    labels,
  );
}

/** One expression of a label selector or node selector. */
export function expressionMatches(item: Obj, labels: Record<string, string>): boolean {
  const expression = expressionOf(item);
  return matchesExpression(ownValue(labels, expression.key), expression);
}

function expressionOf(item: Obj): LabelExpression {
  return {
    key: textOf(item.key),
    operator: textOf(item.operator),
    values: listOf(item.values).map(textOf),
  };
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
