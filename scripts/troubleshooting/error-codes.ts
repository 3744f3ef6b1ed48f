/** Every error, config diagnostic and plan problem of the sources, with what it says and its way out. */
import { readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';

export interface Finding {
  readonly code: string;
  /** An error ends a command, a diagnostic is about oxherd.yaml, a problem stops a plan. */
  readonly kind: 'error' | 'diagnostic' | 'problem';
  /** Texts with `…` for what differs from case to case. */
  readonly says: readonly string[];
  readonly ways: readonly string[];
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const CODE = /^[a-z][a-z0-9]*(?:\.[a-z][a-z0-9-]*)+$/;
const PROBLEM = /^[a-z][a-z0-9-]*$/;
const GAP = '…';
/** Of a choice in a text so many forms are told apart. */
const FORMS = 4;

export function findingsIn(path: string): Finding[] {
  const text = readFileSync(path, 'utf8');
  if (!/Error\(|code: /.test(text)) return [];
  const program: unknown = parseAst(text, { lang: 'ts' });
  const names = new Map<string, Node>();
  const found: Finding[] = [];
  visit(program, (node) => {
    if (node.type === 'VariableDeclarator' && isNode(node.id) && isNode(node.init))
      names.set(String(node.id.name), node.init);
  });
  visit(program, (node) => found.push(...thrown(node, names), ...said(node, names)));
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see);
  else if (isNode(value)) {
    see(value);
    for (const [key, inner] of Object.entries(value)) if (key !== 'type') visit(inner, see);
  }
}

type Names = ReadonlyMap<string, Node>;

/** `new OxherdError('area.code', message, { advice })`, and calls of functions that make one. */
function thrown(node: Node, names: Names): Finding[] {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return [];
  const [code, message, more, last] = Array.isArray(node.arguments) ? node.arguments.filter(isNode) : [];
  const callee = isNode(node.callee) ? String(node.callee.name ?? '') : '';
  const isMade = node.type === 'NewExpression' ? callee.endsWith('Error') : /^[a-z]\w*$/.test(callee);
  if (!code || !message || !isMade) return [];
  const codes = textsOf(code, names).filter((text) => CODE.test(text));
  const details = [more, last].find((each) => each?.type === 'ObjectExpression');
  const says = textsOf(message, names).filter(isWords);
  return codes.map((each) => ({
    code: each,
    kind: 'error' as const,
    says: says.length > 0 ? says : more ? textsOf(more, names).filter(isWords) : [],
    ways: details ? property(details, ['advice'], names) : [],
  }));
}

/** `{ code, path, message, hint }` of a check, `{ code, scope, message, advice }` of a plan. */
function said(node: Node, names: Names): Finding[] {
  if (node.type !== 'ObjectExpression') return [];
  const keys = keysOf(node);
  const isProblem = keys.includes('scope');
  if (!keys.includes('code') || !keys.includes('message')) return [];
  if (!isProblem && !keys.includes('path') && !keys.includes('where')) return [];
  return property(node, ['code'], names)
    .filter((code) => (isProblem ? PROBLEM : CODE).test(code))
    .map((code) => ({
      code,
      kind: isProblem ? ('problem' as const) : ('diagnostic' as const),
      says: property(node, ['message'], names).filter(isWords),
      ways: property(node, ['hint', 'advice'], names).filter(isWords),
    }));
}

function propertiesOf(node: Node): Node[] {
  return Array.isArray(node.properties) ? node.properties.filter(isNode) : [];
}

function nameOf({ key }: Node): string {
  return isNode(key) ? String(key.name ?? key.value ?? '') : '';
}

function keysOf(node: Node): string[] {
  return propertiesOf(node).map(nameOf);
}

function property(node: Node, keys: readonly string[], names: Names): string[] {
  return propertiesOf(node).flatMap((each) =>
    keys.includes(nameOf(each)) && isNode(each.value) ? textsOf(each.value, names) : [],
  );
}

function isWords(text: string): boolean {
  return /[a-z]{3}/.test(text);
}

/** What an expression can say, as far as the source alone tells. */
function textsOf(node: Node, names: Names, depth = 0): string[] {
  if (depth > 6) return [GAP];
  const inner = (value: unknown): string[] => (isNode(value) ? textsOf(value, names, depth + 1) : [GAP]);
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : [GAP];
    case 'TemplateLiteral':
      return templateTexts(node, inner);
    case 'ConditionalExpression':
      return [...inner(node.consequent), ...inner(node.alternate)].slice(0, FORMS);
    case 'BinaryExpression':
      return node.operator === '+' ? joined([inner(node.left), inner(node.right)]) : [GAP];
    case 'LogicalExpression':
      return node.operator === '??' ? inner(node.right) : [GAP];
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
      return inner(node.expression);
    case 'Identifier': {
      const known = names.get(String(node.name));
      return known && known !== node ? inner(known) : [GAP];
    }
    default:
      return [GAP];
  }
}

function templateTexts({ quasis, expressions }: Node, inner: (value: unknown) => string[]): string[] {
  const fixed = (Array.isArray(quasis) ? quasis : []).map(
    (quasi: { value: { cooked: string } }) => quasi.value.cooked,
  );
  const open: unknown[] = Array.isArray(expressions) ? expressions : [];
  return joined(
    fixed.flatMap((text, i) => {
      const expression = open[i];
      if (expression === undefined) return [[text]];
      const isChoice = isNode(expression) && expression.type === 'ConditionalExpression';
      return [[text], isChoice ? inner(expression) : [GAP]];
    }),
  );
}

function joined(parts: readonly (readonly string[])[]): string[] {
  return parts.reduce<string[]>(
    (texts, part) => texts.flatMap((before) => part.map((text) => before + text)).slice(0, FORMS),
    [''],
  );
}
