/** A line of a POSIX shell as far as oxherd prints it: quotes, `&&`, `||`, `;` and a redirection to /dev/null. */
import { OxherdError } from '../../model/error.js';

export type Words = readonly string[];

interface ShellCommand {
  /** How it follows the command before it. */
  readonly joined: 'next' | 'and' | 'or';
  readonly argv: Words;
}

const TOKEN = /\s*(?:(&&|\|\||;|\n)|(2>\/dev\/null)|((?:'[^']*'|"[^"]*"|[^\s;&|'"<>])+))\s*/y;

export function words(line: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let joined: ShellCommand['joined'] = 'next';
  let argv: string[] = [];
  const end = () => {
    if (argv.length > 0) commands.push({ joined, argv });
    argv = [];
  };
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < line.length) {
    const at = TOKEN.lastIndex;
    const [, operator, redirection, word] = TOKEN.exec(line) ?? [];
    if (operator !== undefined) {
      end();
      joined = operator === '&&' ? 'and' : operator === '||' ? 'or' : 'next';
    } else if (word !== undefined) argv.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
    else if (redirection === undefined)
      throw new OxherdError('lab.root', `the lab's shell does not read ${line.slice(at)}`, {
        advice: 'replace what stands in <…>, and leave out explanations',
      });
  }
  end();
  return commands;
}
