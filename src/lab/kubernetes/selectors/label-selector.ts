import { badRequest } from '../status.js';

type LabelMatcher = (labels: Record<string, string>) => boolean;

/** A selector of a query: `a=b,c!=d,e in (f,g),h,!i` (`apimachinery/pkg/labels`). */
export function parseLabelSelector(text: string): LabelMatcher {
  const tokens = new Tokens(text);
  const matchers: LabelMatcher[] = [];
  while (tokens.peek() !== undefined) {
    if (matchers.length > 0) {
      const comma = tokens.next();
      if (comma !== ',') throw unparsable(`found '${comma ?? ''}', expected: ',' or 'end of string'`);
    }
    matchers.push(tokens.requirement());
  }
  return (labels) => matchers.every((matches) => matches(labels));
}

class Tokens {
  readonly #tokens: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = text.match(/==|!=|[=!(),]|[^\s=!(),]+/g) ?? [];
  }

  peek(): string | undefined {
    return this.#tokens[this.#position];
  }

  next(): string | undefined {
    const token = this.peek();
    this.#position += 1;
    return token;
  }

  requirement(): LabelMatcher {
    const negated = this.peek() === '!';
    if (negated) this.next();
    const key = this.next();
    if (key === undefined || /^[=!(),]/.test(key)) {
      throw unparsable(`found '${key ?? ''}', expected: identifier`);
    }
    if (negated) return (labels) => labels[key] === undefined;
    switch (this.peek()) {
      case undefined:
      case ',':
        return (labels) => labels[key] !== undefined;
      case '=':
      case '==': {
        this.next();
        const value = this.#literal();
        return (labels) => labels[key] === value;
      }
      case '!=': {
        this.next();
        const value = this.#literal();
        return (labels) => labels[key] !== value;
      }
      case 'in': {
        this.next();
        const list = this.#values();
        return (labels) => labels[key] !== undefined && list.includes(labels[key]);
      }
      case 'notin': {
        this.next();
        const list = this.#values();
        return (labels) => labels[key] === undefined || !list.includes(labels[key]);
      }
      default:
        throw unparsable(`found '${this.peek()}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #values(): string[] {
    const open = this.next();
    if (open !== '(') throw unparsable(`found '${open ?? ''}' expected: '('`);
    const list: string[] = [];
    let wanted = true;
    for (;;) {
      const token = this.next();
      if (token === undefined) throw unparsable("found '' expected: ',', or ')'");
      if (token === ')') {
        if (wanted && list.length > 0) list.push('');
        return list.length === 0 ? [''] : list;
      }
      if (token === ',') {
        if (wanted) list.push('');
        wanted = true;
      } else {
        list.push(token);
        wanted = false;
      }
    }
  }

  #literal(): string {
    const token = this.peek();
    if (token === undefined || token === ',') return '';
    if (/^[=!()]/.test(token)) throw unparsable(`found '${token}', expected: identifier`);
    return this.next() ?? '';
  }
}

function unparsable(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}
