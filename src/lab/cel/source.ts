import { parse } from '@bufbuild/cel';

export type Parsed = ReturnType<typeof parse>;
export type Expr = NonNullable<Parsed['expr']>;

/** An expression that cannot be read, or that does not fit its types; the text is cel-go's. */
export class CelFault extends Error {}

/** The tree of `source`, with the optional syntax (`a.?b`, `a[?b]`, `optMap`) as calls of functions. */
export function parseSource(source: string): Parsed {
  const { text, optional } = withoutOptional(source);
  let parsed: Parsed;
  try {
    parsed = parse(text);
  } catch (error) {
    throw new CelFault(syntaxFault(source, error));
  }
  if (optional.size > 0 || /\.opt(Flat)?Map\(/.test(source)) {
    const at = (expr: Expr) => parsed.sourceInfo?.positions[String(expr.id)] ?? 0;
    if (parsed.expr) expandOptional(parsed.expr, (expr) => optional.has(at(expr)));
  }
  return parsed;
}

/** The parser has no optional syntax: the question mark becomes a blank, and where it stood is remembered. */
function withoutOptional(source: string): { text: string; optional: Set<number> } {
  const optional = new Set<number>();
  const STRINGS = /[rRbB]*("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|([.[])\?/g;
  const text = source.replace(STRINGS, (found: string, _string: string, open: string, offset: number) => {
    if (open === undefined) return found;
    optional.add(offset);
    return `${open} `;
  });
  return { text, optional };
}

let made = 0n;
/** A node that the source does not have. */
function node(exprKind: Expr['exprKind']): Expr {
  made += 1n;
  return { $typeName: 'cel.expr.Expr', id: -made, exprKind };
}

function call(name: string, args: Expr[], target?: Expr): Expr['exprKind'] {
  const value = { $typeName: 'cel.expr.Expr.Call' as const, function: name, args };
  return { case: 'callExpr', value: target ? { ...value, target } : value };
}

const text = (value: string) =>
  node({
    case: 'constExpr',
    value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'stringValue', value } },
  });

/** `operand.?field` as a call. */
export function optionalSelect(operand: Expr, field: string): Expr['exprKind'] {
  return call('@optSelect', [operand, text(field)]);
}

export function childrenOf(expr: Expr): Expr[] {
  const { exprKind: kind } = expr;
  const found: (Expr | undefined)[] = [];
  if (kind.case === 'selectExpr') found.push(kind.value.operand);
  else if (kind.case === 'callExpr') found.push(kind.value.target, ...kind.value.args);
  else if (kind.case === 'listExpr') found.push(...kind.value.elements);
  else if (kind.case === 'structExpr') {
    for (const { keyKind, value } of kind.value.entries) {
      found.push(keyKind.case === 'mapKey' ? keyKind.value : undefined, value);
    }
  } else if (kind.case === 'comprehensionExpr') {
    const { iterRange, accuInit, loopCondition, loopStep, result } = kind.value;
    found.push(iterRange, accuInit, loopCondition, loopStep, result);
  }
  return found.filter((child) => child !== undefined);
}

function expandOptional(expr: Expr, isOptional: (expr: Expr) => boolean): void {
  for (const child of childrenOf(expr)) expandOptional(child, isOptional);
  const { exprKind: kind } = expr;
  if (kind.case === 'selectExpr' && kind.value.operand && isOptional(expr)) {
    expr.exprKind = optionalSelect(kind.value.operand, kind.value.field);
  } else if (kind.case === 'callExpr' && kind.value.function === '_[_]' && isOptional(expr)) {
    kind.value.function = '@optIndex';
  } else if (kind.case === 'callExpr' && /^opt(Flat)?Map$/.test(kind.value.function)) {
    const { target, args } = kind.value;
    const [variable, body] = args;
    if (!target || !body || variable?.exprKind.case !== 'identExpr') return;
    const folded = fold(variable.exprKind.value.name, node(call('value', [], target)), body);
    const some = kind.value.function === 'optMap' ? node(call('optional.of', [folded])) : folded;
    expr.exprKind = call('_?_:_', [
      node(call('hasValue', [], target)),
      some,
      node(call('optional.none', [])),
    ]);
  }
}

/** `body` with `name` standing for `value`: a loop over nothing. */
function fold(name: string, value: Expr, body: Expr): Expr {
  const constant = (of: boolean) =>
    node({
      case: 'constExpr',
      value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'boolValue', value: of } },
    });
  return node({
    case: 'comprehensionExpr',
    value: {
      $typeName: 'cel.expr.Expr.Comprehension',
      iterVar: '#unused',
      iterVar2: '',
      iterRange: node({
        case: 'listExpr',
        value: { $typeName: 'cel.expr.Expr.CreateList', elements: [], optionalIndices: [] },
      }),
      accuVar: name,
      accuInit: value,
      loopCondition: constant(false),
      loopStep: node({ case: 'identExpr', value: { $typeName: 'cel.expr.Expr.Ident', name } }),
      result: body,
    },
  });
}

/** As cel-go prints a fault: the place, the line, and an arrow of dots below it. */
export function located(source: string, start: number, message: string): string {
  // The parser puts `*` and `/` at the blank before the operator.
  const offset = start + (/^\s*/.exec(source.slice(start))?.[0].length ?? 0);
  const before = source.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - (before.lastIndexOf('\n') + 1);
  const sourceLine = source.split('\n')[line - 1] ?? '';
  return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${sourceLine}\n | ${'.'.repeat(column)}^`;
}

const STARTS =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** The generated parsers differ in their words: what an operator wants and where a parenthesis is open are told alike. */
function syntaxFault(source: string, error: unknown): string {
  const location = error instanceof Error && 'location' in error ? error.location : undefined;
  const start = isLocation(location) ? location.start.offset : source.length;
  const rest = source.slice(start);
  const operator = /^\s*(&&|\|\||[=!<>]=|[<>+\-*/%?:,([.])\s*$/.exec(rest);
  const end = source.trimEnd().length === 0 ? 0 : source.length;
  if (operator || rest.trim() === '') {
    const open = [...source].filter((sign) => sign === '(').length;
    const closed = [...source].filter((sign) => sign === ')').length;
    const message = operator
      ? `mismatched input '<EOF>' expecting ${STARTS}`
      : open > closed
        ? "missing ')' at '<EOF>'"
        : `mismatched input '<EOF>' expecting ${STARTS}`;
    return located(source, end, `Syntax error: ${message}`);
  }
  const token = /^\s*(\w+|[^\s\w])/.exec(rest)?.[1] ?? rest;
  return located(source, start, `Syntax error: extraneous input '${token}' expecting <EOF>`);
}

export function isLocation(value: unknown): value is { start: { offset: number } } {
  return typeof value === 'object' && value !== null && 'start' in value;
}
