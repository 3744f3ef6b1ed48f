/** A value as the text that stands for it in YAML, on one line. Pure. */
import { Scalar, stringify } from 'yaml';
import { isMapping } from '../../formats/text/mapping.js';

/** `padded`: with a space inside of brackets, as some people write them. */
export function inlineText(value: unknown, inFlow: boolean, padded = false): string {
  const space = padded ? ' ' : '';
  if (Array.isArray(value)) {
    const items = value.map((item) => inlineText(item, true, padded));
    return items.length === 0 ? '[]' : `[${space}${items.join(', ')}${space}]`;
  }
  if (isMapping(value)) {
    const pairs = Object.entries(value).map(
      ([key, of]) => `${keyText(key)}: ${inlineText(of, true, padded)}`,
    );
    return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
  }
  return scalarText(value, inFlow);
}

export function keyText(key: string | number): string {
  return scalarText(key, true);
}

/** The quotes that the user chose stay. */
export function scalarText(value: unknown, inFlow: boolean, type?: string): string {
  if (typeof value === 'string' && type === Scalar.QUOTE_SINGLE && !/[\r\n]/.test(value))
    return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'string' && type === Scalar.QUOTE_DOUBLE) return JSON.stringify(value);
  const plain = inFlow
    ? stringify([value], { collectionStyle: 'flow', lineWidth: 0 })
        .trim()
        .replace(/^\[\s*|\s*\]$/g, '')
    : stringify(value, { lineWidth: 0 }).trim();
  return plain.includes('\n') ? JSON.stringify(value) : plain;
}

/** A key with its value on lines of their own; mappings below it too. */
export function blockLines(key: string | number, value: unknown, indent: string): string[] {
  if (!isMapping(value) || Object.keys(value).length === 0)
    return [`${indent}${scalarText(key, false)}: ${inlineText(value, false)}`];
  const below = Object.entries(value).flatMap(([name, of]) => blockLines(name, of, `${indent}  `));
  return [`${indent}${scalarText(key, false)}:`, ...below];
}

/** The lines of a block scalar with another text, and its header with the chomping that this text needs. */
export function blockScalarText(
  header: string,
  value: string,
  { indent, eol }: { readonly indent: string; readonly eol: string },
): string {
  const ending = /\n*$/.exec(value)?.[0].length ?? 0;
  const chomping = ending === 0 ? '-' : ending === 1 ? '' : '+';
  const lines = value.replace(/\n$/, '').split('\n');
  const body = lines.map((line) => (line === '' ? '' : `${indent}${line}`));
  return [header.replace(/^[|>][+-]?/, `|${chomping}`), ...body].join(eol);
}
