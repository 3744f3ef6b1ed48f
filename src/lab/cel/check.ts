import type { Functions } from './overloads.js';
import {
  CelFault,
  childrenOf,
  type Expr,
  located,
  optionalSelect,
  type Parsed,
  parseSource,
} from './source.js';
import {
  assign,
  type Bindings,
  BOOL,
  type CelType,
  celScalar,
  DYN,
  ERROR,
  listOfType,
  mapOfType,
  optionalOf,
  sameType,
  substitute,
  typeText,
} from './types.js';

export interface CelScope {
  readonly variables: Readonly<Record<string, CelType>>;
  readonly functions: Functions;
}

export interface Checked {
  readonly parsed: Parsed;
  readonly type: CelType;
  /** The scope's variables that the expression names. */
  readonly uses: ReadonlySet<string>;
}

/** Reads and types an expression; throws cel-go's text of everything that is wrong with it. */
export function checkSource(source: string, scope: CelScope): Checked {
  const parsed = parseSource(source);
  const checker = new Checker(source, parsed, scope);
  const type = checker.type(parsed.expr, new Map());
  if (checker.faults.length > 0) {
    const sorted = checker.faults.sort((a, b) => a.offset - b.offset);
    throw new CelFault(sorted.map(({ offset, text }) => located(source, offset, text)).join('\n'));
  }
  return { parsed, type: substitute(type, checker.bindings, true), uses: checker.uses };
}

type Locals = ReadonlyMap<string, CelType>;

const CONSTANTS: Record<string, string> = { int64Value: 'int', uint64Value: 'uint', nullValue: 'null_type' };

/** `boolValue` is a bool. */
const constantType = (name: string) => celScalar(CONSTANTS[name] ?? name.replace(/Value$/, ''));

/** `type(x) == string`: the names of types are values. */
const TYPE_NAMES = 'bool int uint double string bytes list map null_type type'.split(' ');

class Checker {
  bindings: Bindings = new Map();
  readonly faults: { offset: number; text: string }[] = [];
  readonly uses = new Set<string>();
  #variables = 0;
  /** Within the arguments of `format`, whose list may hold anything. */
  #mixed = false;

  constructor(
    private readonly source: string,
    private readonly parsed: Parsed,
    private readonly scope: CelScope,
  ) {}

  type(expr: Expr | undefined, locals: Locals): CelType {
    if (!expr) return ERROR;
    const { exprKind: kind } = expr;
    switch (kind.case) {
      case 'constExpr':
        return constantType(kind.value.constantKind.case ?? 'dynValue');
      case 'identExpr':
        return this.#variable(expr, kind.value.name, locals);
      case 'selectExpr': {
        const { operand, field, testOnly } = kind.value;
        const of = substitute(this.type(operand, locals), this.bindings);
        const optional = of.name === 'optional_type';
        const found = this.#field(expr, optional ? (of.of[0] ?? DYN) : of, field);
        // A field of an optional value is optional itself.
        if (optional && !testOnly && operand) {
          expr.exprKind = optionalSelect(operand, field);
          return optionalOf(found);
        }
        return testOnly ? BOOL : found;
      }
      case 'callExpr':
        return this.#call(expr, kind.value, locals);
      case 'listExpr':
        return listOfType(this.#joined(kind.value.elements, locals));
      case 'structExpr': {
        const keys = kind.value.entries.map(({ keyKind }) =>
          keyKind.case === 'mapKey' ? keyKind.value : expr,
        );
        const values = kind.value.entries.map(({ value }) => value ?? expr);
        return mapOfType(this.#joined(keys, locals), this.#joined(values, locals));
      }
      case 'comprehensionExpr':
        return this.#comprehension(expr, kind.value, locals);
      default:
        return DYN;
    }
  }

  #fault(expr: Expr, text: string): CelType {
    this.faults.push({ offset: this.#place(expr), text });
    return ERROR;
  }

  /** cel-go places a call at its parenthesis. */
  #place(expr: Expr): number {
    const offset = this.parsed.sourceInfo?.positions[String(expr.id)];
    if (offset === undefined) {
      const [first] = childrenOf(expr);
      return first ? this.#place(first) : 0;
    }
    const { exprKind: kind } = expr;
    const named =
      kind.case === 'callExpr' && /^\w/.test(kind.value.function) && !kind.value.function.startsWith('_');
    const dotted = this.source[offset] === '.' && kind.case !== 'selectExpr' && kind.case !== 'constExpr';
    const optional = kind.case === 'callExpr' && kind.value.function === '@optSelect';
    if (!optional && (named || dotted)) {
      const open = this.source.indexOf('(', offset);
      return open < 0 ? offset : open;
    }
    return offset;
  }

  #fresh(): CelType {
    this.#variables += 1;
    return { name: `_var${this.#variables}`, of: [] };
  }

  #variable(expr: Expr, name: string, locals: Locals): CelType {
    const local = locals.get(name);
    if (local) return local;
    const type = this.scope.variables[name];
    if (type) {
      this.uses.add(name);
      return type;
    }
    if (TYPE_NAMES.includes(name)) return { name: 'type', of: [celScalar(name)] };
    return this.#fault(expr, `undeclared reference to '${name}' (in container '')`);
  }

  #field(expr: Expr, of: CelType, field: string): CelType {
    if (of === DYN || of === ERROR) return of;
    if (of.fields) return of.fields.get(field) ?? this.#fault(expr, `undefined field '${field}'`);
    if (of.name === 'map') return of.of[1] ?? DYN;
    if (/^_var\d+$/.test(of.name)) return DYN;
    return this.#fault(expr, `type '${typeText(of)}' does not support field selection`);
  }

  /** The elements of a literal must be of one type. */
  #joined(elements: readonly Expr[], locals: Locals): CelType {
    let joined: CelType | undefined;
    const mixed = this.#mixed;
    this.#mixed = false;
    for (const element of elements) {
      const type = this.type(element, locals);
      if (!joined) joined = type;
      else {
        const known = assign(type, joined, this.bindings);
        if (known) this.bindings = known;
        else if (mixed) joined = DYN;
        else this.#mismatch(element, joined, type);
      }
    }
    return joined ?? this.#fresh();
  }

  #mismatch(expr: Expr, wanted: CelType, found: CelType): void {
    const [a, b] = [wanted, found].map((type) => typeText(substitute(type, this.bindings, true)));
    this.#fault(expr, `expected type '${a}' but found '${b}'`);
  }

  #call(
    expr: Expr,
    call: { function: string; target?: Expr | undefined; args: Expr[] },
    locals: Locals,
  ): CelType {
    const { args } = call;
    let { target } = call;
    let name = call.function;
    if (name === '@optSelect') return this.#optionalSelect(expr, args, locals);
    this.#mixed = name === 'format';
    const types = args.map((arg) => this.type(arg, locals));
    this.#mixed = false;
    const prefix = target?.exprKind.case === 'identExpr' ? target.exprKind.value.name : undefined;
    if (prefix !== undefined && this.scope.functions.has(`${prefix}.${name}`)) {
      name = `${prefix}.${name}`;
      target = undefined;
    }
    if (target) types.unshift(this.type(target, locals));
    const overloads = this.scope.functions.get(name);
    if (!overloads) return this.#fault(expr, `undeclared reference to '${name}' (in container '')`);
    if (name === '_&&_' || name === '_||_') return this.#logic(args, types);
    if (name === 'matches') this.#pattern(args.at(-1));
    let result: CelType | undefined;
    for (const overload of overloads) {
      if (overload.member !== (target !== undefined) || overload.args.length !== types.length) continue;
      const fresh = new Map<string, CelType>();
      const own = (type: CelType): CelType => {
        if (/^[A-Z]$/.test(type.name)) {
          const made = fresh.get(type.name) ?? this.#fresh();
          fresh.set(type.name, made);
          return made;
        }
        return type.of.length === 0 ? type : { name: type.name, of: type.of.map(own) };
      };
      let known: Bindings | undefined = this.bindings;
      overload.args.forEach((arg, index) => {
        known = known && assign(types[index] ?? DYN, own(arg), known);
      });
      if (!known) continue;
      this.bindings = known;
      const found = substitute(own(overload.result), known);
      if (!result) result = found;
      else if (result !== DYN && !sameType(result, found)) result = DYN;
    }
    if (result) return result;
    const texts = types.map((type) => typeText(substitute(type, this.bindings, true)));
    const [first = '', ...rest] = texts;
    const applied = target ? `${first}.(${rest.join(', ')})` : `(${texts.join(', ')})`;
    return this.#fault(expr, `found no matching overload for '${name}' applied to '${applied}'`);
  }

  #logic(args: readonly Expr[], types: readonly CelType[]): CelType {
    let fine = true;
    types.forEach((type, index) => {
      const known = assign(type, BOOL, this.bindings);
      const arg = args[index];
      if (known) this.bindings = known;
      else if (arg) {
        this.#mismatch(arg, BOOL, type);
        fine = false;
      }
    });
    return fine ? BOOL : ERROR;
  }

  #pattern(arg: Expr | undefined): void {
    const constant = arg?.exprKind.case === 'constExpr' ? arg.exprKind.value.constantKind : undefined;
    if (!arg || constant?.case !== 'stringValue') return;
    try {
      new RegExp(constant.value.replace(/^\(\?[a-z]+\)/, ''), 'u');
    } catch {
      this.#fault(arg, 'invalid matches argument');
    }
  }

  #optionalSelect(expr: Expr, args: readonly Expr[], locals: Locals): CelType {
    const [operand, key] = args;
    const of = substitute(this.type(operand, locals), this.bindings);
    const constant = key?.exprKind.case === 'constExpr' ? key.exprKind.value.constantKind : undefined;
    const field = constant?.case === 'stringValue' ? constant.value : '';
    return optionalOf(this.#field(expr, of.name === 'optional_type' ? (of.of[0] ?? DYN) : of, field));
  }

  #comprehension(
    expr: Expr,
    loop: Extract<Expr['exprKind'], { case: 'comprehensionExpr' }>['value'],
    locals: Locals,
  ): CelType {
    const range = substitute(this.type(loop.iterRange, locals), this.bindings);
    let element: CelType = DYN;
    if (range.name === 'list' || range.name === 'map') element = range.of[0] ?? DYN;
    else if (range !== DYN && range !== ERROR) {
      this.#fault(
        loop.iterRange ?? expr,
        `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
      );
      element = ERROR;
    }
    const accumulated = new Map(locals).set(loop.accuVar, this.type(loop.accuInit, locals));
    const inner = new Map(accumulated).set(loop.iterVar, element);
    if (loop.iterVar2 !== '') {
      inner.set(loop.iterVar, range.name === 'list' ? celScalar('int') : element);
      inner.set(loop.iterVar2, range.name === 'map' ? (range.of[1] ?? DYN) : element);
    }
    this.type(loop.loopCondition, inner);
    const step = this.type(loop.loopStep, inner);
    const known = assign(step, accumulated.get(loop.accuVar) ?? DYN, this.bindings);
    if (known) this.bindings = known;
    else if (loop.loopStep) this.#mismatch(loop.loopStep, accumulated.get(loop.accuVar) ?? DYN, step);
    return this.type(loop.result, accumulated);
  }
}
