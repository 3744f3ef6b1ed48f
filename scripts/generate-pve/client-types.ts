import type { ApiMethod, RawObject, RawProperty } from './raw.js';

/** `Parameters` and `Results` of every method, keyed `METHOD /path`. Path variables are parameters too. */
export function clientTypes(methods: ApiMethod[]): string {
  const parameters = methods.map((method) => `  ${key(method)}: ${objectType(method.parameters)};`);
  const results = methods.map((method) => `  ${key(method)}: ${resultType(method.returns)};`);
  return [
    '// Written by scripts/generate-pve.ts. Do not edit.',
    '',
    'export interface ApiParameters {',
    ...parameters,
    '}',
    '',
    'export interface ApiResults {',
    ...results,
    '}',
    '',
    'export type ApiMethod = keyof ApiParameters;',
    '',
  ].join('\n');
}

function key(method: ApiMethod): string {
  return JSON.stringify(`${method.method} ${method.path}`);
}

function objectType(object: RawObject): string {
  const own = Object.entries(object.properties ?? {}).map(([name, property]) => {
    if (name.endsWith('[n]')) return `[${name.slice(0, -3)}: \`${name.slice(0, -3)}\${number}\`]: string`;
    return `${JSON.stringify(name)}${Number(property.optional) ? '?' : ''}: ${parameterType(property)}`;
  });
  const parts = [
    ...(object.allOf ?? []).map(objectType),
    ...(object.oneOf ? [`(${object.oneOf.map(objectType).join(' | ')})`] : []),
    ...(own.length > 0 || !(object.allOf || object.oneOf) ? [`{ ${own.join('; ')} }`] : []),
  ];
  return parts.join(' & ');
}

function parameterType(property: RawProperty): string {
  if (property.enum) return property.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (property.type === 'array') return 'readonly string[]';
  if (property.type === 'integer' || property.type === 'number') return 'number';
  if (property.type === 'boolean') return 'boolean';
  return 'string';
}

/** Proxmox is free with numbers and text in answers, so a number may be either. */
function resultType(property: RawProperty | undefined): string {
  if (!property) return 'unknown';
  switch (property.type) {
    case 'null':
      return 'null';
    case 'array':
      return `readonly ${parenthesised(resultType(property.items))}[]`;
    case 'object':
      return objectResult(property);
    case 'string':
      return property.enum ? property.enum.map((value) => JSON.stringify(value)).join(' | ') : 'string';
    case 'boolean':
      return '0 | 1';
    case 'integer':
    case 'number':
      return 'number | string';
    default:
      return property.properties ? objectResult(property) : 'unknown';
  }
}

function parenthesised(type: string): string {
  return /[|&]/.test(type) && !type.startsWith('{') ? `(${type})` : type;
}

function objectResult(property: RawProperty): string {
  const members = Object.entries(property.properties ?? {});
  if (members.length === 0) return 'Readonly<Record<string, unknown>>';
  const own = members
    .filter(([name]) => !name.endsWith('[n]'))
    .map(([name, member]) => `readonly ${JSON.stringify(name)}?: ${resultType(member)}`);
  const indexed = members.some(([name]) => name.endsWith('[n]'))
    ? [`readonly [key: \`\${string}\${number}\`]: unknown`]
    : [];
  return `{ ${[...own, ...indexed].join('; ')} }`;
}
