import { ownValue } from '../../../formats/text/mapping.js';
import { labelKeyFaults, labelValueFaults } from '../kinds/checks/texts.js';
import { badRequest } from '../status.js';

type LabelMatcher = (labels: Record<string, string>) => boolean;

/** A selector of a query: `a=b,c!=d,e in (f,g),h,!i,j>1` (`apimachinery/pkg/labels/selector.go`). */
export function parseLabelSelector(text: string): LabelMatcher {
  const matchers = new Parser(text).requirements();
  return (labels) => matchers.every((matches) => matches(labels));
}

const END = '';
const SYMBOLS = new Set([')', ',', '!', '(', '=', '==', '>', '<', '!=']);
const OPERATORS = new Set(['in', 'notin', '=', '==', '!=', '>', '<']);

class Parser {
  readonly #tokens: readonly string[];
  #position = 0;

  constructor(text: string) {
    // Signs stick together as long as they do in Go's lexer; which of those mean something is told later.
    this.#tokens = text.match(/[)(,]|[=!<>]+|[^\s=!<>(),]+/g)?.flatMap(split) ?? [];
  }

  requirements(): LabelMatcher[] {
    const all: LabelMatcher[] = [];
    for (;;) {
      const token = this.#peek();
      if (token === END) return all;
      if (token !== '!' && !isIdentifier(token)) {
        throw badRequest(`found '${token}', expected: !, identifier, or 'end of string'`);
      }
      try {
        all.push(this.#requirement());
      } catch (error) {
        if (error instanceof Unparsable) throw badRequest(`unable to parse requirement: ${error.message}`);
        throw error;
      }
      const next = this.#next();
      if (next === END) return all;
      if (next !== ',') throw badRequest(`found '${next}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after !== '!' && !isIdentifier(after)) {
        throw badRequest(`found '${after}', expected: identifier after ','`);
      }
    }
  }

  #peek(): string {
    return this.#tokens[this.#position] ?? END;
  }

  #next(): string {
    const token = this.#peek();
    this.#position += 1;
    return token;
  }

  #requirement(): LabelMatcher {
    const negated = this.#peek() === '!';
    if (negated) this.#next();
    const key = this.#next();
    if (!isIdentifier(key)) throw new Unparsable(`found '${key}', expected: identifier`);
    const [fault] = labelKeyFaults(key);
    if (fault !== undefined) throw new Unparsable(`<nil>: Invalid value: ${JSON.stringify(key)}: ${fault}`);
    if (negated) return (labels) => ownValue(labels, key) === undefined;
    if (this.#peek() === END || this.#peek() === ',') return (labels) => ownValue(labels, key) !== undefined;
    const operator = this.#next();
    if (!OPERATORS.has(operator)) {
      throw new Unparsable(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#exact()];
    return matcher(key, operator, values);
  }

  #values(): string[] {
    const open = this.#next();
    if (open !== '(') throw new Unparsable(`found '${open}' expected: '('`);
    const list: string[] = [];
    for (;;) {
      const token = this.#peek();
      if (token === ')' || token === ',') list.push('');
      else if (isIdentifier(token)) list.push(this.#next());
      else throw new Unparsable(`found '${token}', expected: ',', ')' or identifier`);
      const next = this.#next();
      if (next === ')') return list;
      if (next !== ',') throw new Unparsable(`found '${next}', expected: ',' or ')'`);
    }
  }

  #exact(): string {
    const token = this.#peek();
    if (token === END || token === ',') return '';
    if (!isIdentifier(token)) throw new Unparsable(`found '${token}', expected: identifier`);
    return this.#next();
  }
}

class Unparsable extends Error {}

/** `=!`: the longest signs that mean something, one after the other. */
function split(token: string): string[] {
  return /^[=!<>]/.test(token) ? (token.match(/==|!=|[=!<>]/g) ?? []) : [token];
}

function isIdentifier(token: string): boolean {
  return token !== END && !SYMBOLS.has(token);
}

function matcher(key: string, operator: string, values: readonly string[]): LabelMatcher {
  const [value = ''] = values;
  if (operator === '>' || operator === '<') {
    if (!/^[-+]?\d+$/.test(value)) {
      const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
      throw new Unparsable(`values[0]: Invalid value: ${JSON.stringify(value)}: ${detail}`);
    }
    return (labels) => compares(ownValue(labels, key), operator, Number(value));
  }
  values.forEach((one, index) => {
    const [fault] = labelValueFaults(one);
    if (fault === undefined) return;
    throw new Unparsable(`values[${index}][${key}]: Invalid value: ${JSON.stringify(one)}: ${fault}`);
  });
  if (operator === '!=' || operator === 'notin') {
    return (labels) => !isOneOf(values, ownValue(labels, key));
  }
  return (labels) => isOneOf(values, ownValue(labels, key));
}

function isOneOf(values: readonly string[], label: string | undefined): boolean {
  return label !== undefined && values.includes(label);
}

function compares(label: string | undefined, operator: string, value: number): boolean {
  if (label === undefined || !/^[-+]?\d+$/.test(label)) return false;
  return operator === '>' ? Number(label) > value : Number(label) < value;
}
