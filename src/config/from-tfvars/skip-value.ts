/** Past an expression that is not evaluated, so that reading can go on behind it. */
import type { Cursor } from './cursor.js';

const QUOTED = /"(?:[^"\\\n]|\\.)*"?/y;
const OPERATOR = /^([?+*/%[.<>-]|==|!=|&&|\|\|)/;

/** Whether an operator, an index or an attribute comes next on the line. */
export function operatorFollows({ text, offset }: Pick<Cursor, 'text' | 'offset'>): boolean {
  const next = /^[ \t]*(.{0,2})/.exec(text.slice(offset, offset + 80))?.[1] ?? '';
  return !next.startsWith('//') && !next.startsWith('/*') && OPERATOR.test(next);
}

/** To the end of the value: brackets balanced, text skipped. */
export function skipValue(cursor: Cursor): void {
  let open = 0;
  for (; !cursor.atEnd; cursor.offset++) {
    const char = cursor.text[cursor.offset] ?? '';
    if (char === '"') {
      QUOTED.lastIndex = cursor.offset;
      cursor.offset += (QUOTED.exec(cursor.text)?.[0].length ?? 1) - 1;
    } else if ('([{'.includes(char)) open++;
    else if (open === 0 && (')]},\n'.includes(char) || char === '#' || cursor.looksAt('//'))) return;
    else if (')]}'.includes(char)) {
      open--;
      if (open > 0 || operatorFollows({ text: cursor.text, offset: cursor.offset + 1 })) continue;
      cursor.offset++;
      return;
    }
  }
}
