import { badRequest } from '../status.js';

type LabelMatcher = (labels: Record<string, string>) => boolean;

/** A selector of a query: `a=b,c!=d,e in (f,g),h,!i` (`apimachinery/pkg/labels`). */
export function parseLabelSelector(text: string): LabelMatcher {
  const tokens = tokenize(text);
  const matchers: LabelMatcher[] = [];
  let position = 0;
  const peek = () => tokens[position];
  const next = () => tokens[position++];

  function values(): string[] {
    const open = next();
    if (open !== '(') throw unparsable(`found '${open ?? ''}' expected: '('`);
    const list: string[] = [];
    let wanted = true;
    for (;;) {
      const token = next();
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

  while (position < tokens.length) {
    if (matchers.length > 0) {
      const comma = next();
      if (comma !== ',') throw unparsable(`found '${comma ?? ''}', expected: ',' or 'end of string'`);
    }
    matchers.push(requirement());
  }
  return (labels) => matchers.every((matches) => matches(labels));

  function requirement(): LabelMatcher {
    const negated = peek() === '!';
    if (negated) next();
    const key = next();
    if (key === undefined || /^[=!(),]/.test(key)) {
      throw unparsable(`found '${key ?? ''}', expected: identifier`);
    }
    if (negated) return (labels) => labels[key] === undefined;
    switch (peek()) {
      case undefined:
      case ',':
        return (labels) => labels[key] !== undefined;
      case '=':
      case '==': {
        next();
        const value = literal();
        return (labels) => labels[key] === value;
      }
      case '!=': {
        next();
        const value = literal();
        return (labels) => labels[key] !== value;
      }
      case 'in': {
        next();
        const list = values();
        return (labels) => labels[key] !== undefined && list.includes(labels[key]);
      }
      case 'notin': {
        next();
        const list = values();
        return (labels) => labels[key] === undefined || !list.includes(labels[key]);
      }
      default:
        throw unparsable(`found '${peek()}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  function literal(): string {
    const token = peek();
    if (token === undefined || token === ',') return '';
    if (/^[=!()]/.test(token)) throw unparsable(`found '${token}', expected: identifier`);
    return next() ?? '';
  }
}

function unparsable(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}

function tokenize(text: string): string[] {
  return text.match(/==|!=|[=!(),]|[^\s=!(),]+/g) ?? [];
}
