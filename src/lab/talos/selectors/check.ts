import { parse } from '@bufbuild/cel';
import { isLocation, located } from '../../cel/source.js';
import type { Environment, FieldType } from './environment.js';

/**
 * Talos type-checks a selector when a config is loaded; `@bufbuild/cel` only evaluates. This is the part of CEL's
 * checker that selectors need, with the texts of cel-go (recordings validate: LinkAliasConfig, UserVolumeConfig).
 * `undefined`: the selector is fine.
 */
export function checkSelector(source: string, environment: Environment): string | undefined {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(source);
  } catch (error) {
    return syntaxError(source, error);
  }
  const faults: { offset: number; text: string }[] = [];
  const checker = new Checker(environment, (id, text) => {
    faults.push({ offset: parsed.sourceInfo?.positions[String(id)] ?? 0, text });
  });
  const type = checker.type(parsed.expr, new Map());
  if (faults.length > 0) {
    return faults.map(({ offset, text }) => located(source, offset, text)).join('\n');
  }
  if (type !== 'bool' && type !== 'dyn') return `expression output type is ${typeText(type)}, expected bool`;
  return undefined;
}

type Expr = ReturnType<typeof parse>['expr'];
type Scope = ReadonlyMap<string, FieldType>;

class Checker {
  constructor(
    private readonly environment: Environment,
    private readonly fault: (id: bigint, text: string) => void,
  ) {}

  type(expr: Expr | undefined, scope: Scope): FieldType {
    const kind = expr?.exprKind;
    switch (kind?.case) {
      case 'constExpr':
        return CONSTANTS[kind.value.constantKind.case ?? ''] ?? 'dyn';
      case 'identExpr':
        return this.#variable(expr?.id ?? 0n, kind.value.name, scope);
      case 'selectExpr': {
        const operand = this.type(kind.value.operand, scope);
        if (typeof operand === 'string' || !('object' in operand)) {
          if (operand !== 'dyn') {
            this.fault(expr?.id ?? 0n, `type '${typeText(operand)}' does not support field selection`);
          }
          return 'dyn';
        }
        const field = this.environment.objects[operand.object]?.[kind.value.field];
        if (field === undefined) this.fault(expr?.id ?? 0n, `undefined field '${kind.value.field}'`);
        return kind.value.testOnly ? 'bool' : (field ?? 'dyn');
      }
      case 'callExpr': {
        const target = kind.value.target ? [this.type(kind.value.target, scope)] : [];
        const args = kind.value.args.map((arg) => this.type(arg, scope));
        return this.#call(expr?.id ?? 0n, kind.value.function, target.length > 0, [...target, ...args]);
      }
      case 'listExpr': {
        const elements = kind.value.elements.map((element) => this.type(element, scope));
        const first = elements[0];
        return { list: typeof first === 'string' && elements.every((e) => e === first) ? first : 'dyn' };
      }
      case 'comprehensionExpr': {
        const range = this.type(kind.value.iterRange, scope);
        const element = typeof range === 'object' && 'list' in range ? range.list : 'dyn';
        const inner = new Map(scope).set(kind.value.iterVar, element);
        inner.set(kind.value.accuVar, this.type(kind.value.accuInit, scope));
        this.type(kind.value.loopCondition, inner);
        this.type(kind.value.loopStep, inner);
        return this.type(kind.value.result, inner);
      }
      default:
        return 'dyn';
    }
  }

  #variable(id: bigint, name: string, scope: Scope): FieldType {
    const type = scope.get(name) ?? this.environment.variables[name];
    if (type === undefined) this.fault(id, `undeclared reference to '${name}' (in container '')`);
    return type ?? 'dyn';
  }

  #call(id: bigint, name: string, method: boolean, types: FieldType[]): FieldType {
    const own = this.environment.functions[name];
    const result = own ? matchOwn(own, types) : matchStandard(name, types);
    if (result === 'unknown') {
      this.fault(id, `undeclared reference to '${name}' (in container '')`);
      return 'dyn';
    }
    if (result === 'mismatch') {
      const [first = 'dyn', ...rest] = types.map(typeText);
      const applied = method ? `${first}.(${rest.join(', ')})` : `(${types.map(typeText).join(', ')})`;
      this.fault(id, `found no matching overload for '${name}' applied to '${applied}'`);
      return 'dyn';
    }
    return result;
  }
}

const CONSTANTS: Record<string, FieldType> = {
  boolValue: 'bool',
  int64Value: 'int',
  uint64Value: 'uint',
  doubleValue: 'double',
  stringValue: 'string',
  bytesValue: 'bytes',
};

type Match = FieldType | 'unknown' | 'mismatch';

function matchOwn(own: { args: readonly FieldType[]; result: FieldType }, types: FieldType[]): Match {
  const fits = own.args.length === types.length && own.args.every((arg, i) => same(arg, types[i] ?? 'dyn'));
  return fits ? own.result : 'mismatch';
}

const ORDERED = ['int', 'uint', 'double', 'string', 'bytes', 'bool'];
const ADDABLE = ['int', 'uint', 'double', 'string', 'bytes'];
const NUMBERS = ['int', 'uint', 'double'];

function matchStandard(name: string, types: FieldType[]): Match {
  const [a = 'dyn', b = 'dyn', c = 'dyn'] = types;
  const pair = (allowed: readonly string[], result: FieldType | 'operand'): Match => {
    const known = a === 'dyn' ? b : a;
    const fits = same(a, b) && (known === 'dyn' || (typeof known === 'string' && allowed.includes(known)));
    return fits ? (result === 'operand' ? known : result) : 'mismatch';
  };
  switch (name) {
    case '_==_':
    case '_!=_':
      return same(a, b) ? 'bool' : 'mismatch';
    case '_<_':
    case '_<=_':
    case '_>_':
    case '_>=_':
      return pair(ORDERED, 'bool');
    case '_+_':
      return typeof a === 'object' && 'list' in a && same(a, b) ? a : pair(ADDABLE, 'operand');
    case '_-_':
    case '_*_':
    case '_/_':
      return pair(NUMBERS, 'operand');
    case '_%_':
      return pair(['int', 'uint'], 'operand');
    case '-_':
      return a === 'int' || a === 'double' || a === 'dyn' ? a : 'mismatch';
    case '_&&_':
    case '_||_':
      return same(a, 'bool') && same(b, 'bool') ? 'bool' : 'mismatch';
    case '!_':
    case '@not_strictly_false':
      return same(a, 'bool') ? 'bool' : 'mismatch';
    case '_?_:_':
      return same(a, 'bool') && same(b, c) ? b : 'mismatch';
    case '@in':
    case '_in_':
      return b === 'dyn' || (typeof b === 'object' && 'list' in b && same(a, b.list)) ? 'bool' : 'mismatch';
    case '_[_]':
      return typeof a === 'object' && 'list' in a && same(b, 'int')
        ? a.list
        : a === 'dyn'
          ? 'dyn'
          : 'mismatch';
    case 'size':
      return a === 'string' || a === 'bytes' || a === 'dyn' || typeof a === 'object' ? 'int' : 'mismatch';
    case 'startsWith':
    case 'endsWith':
    case 'contains':
    case 'matches':
      return same(a, 'string') && same(b, 'string') ? 'bool' : 'mismatch';
    case 'int':
    case 'uint':
    case 'double':
    case 'string':
    case 'bytes':
    case 'bool':
      return name;
    default:
      return 'unknown';
  }
}

function same(a: FieldType, b: FieldType): boolean {
  if (a === 'dyn' || b === 'dyn') return true;
  if (typeof a === 'string' || typeof b === 'string') return a === b;
  if ('list' in a && 'list' in b) return same(a.list, b.list);
  return 'object' in a && 'object' in b && a.object === b.object;
}

function typeText(type: FieldType): string {
  if (typeof type === 'string') return type;
  return 'list' in type ? `list(${type.list})` : type.object;
}

function syntaxError(source: string, error: unknown): string {
  const location = error instanceof Error && 'location' in error ? error.location : undefined;
  const start = isLocation(location) ? location.start.offset : source.length;
  const detail = error instanceof Error ? error.message.replace(/^<input>:\d+:\d+: /, '') : String(error);
  return located(source, start, `Syntax error: ${detail}`);
}
