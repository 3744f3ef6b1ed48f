/** Commands that we advise, with the flags that the user gave: what is copied works on the same cluster. */
import { type CliContext, DEFAULT_CONFIG } from './context.js';

/** `oxherd apply` becomes `oxherd --lab -c dev.yaml apply`. */
export function withUserFlags(
  { globals: { lab, labProfile, config }, commands }: Pick<CliContext, 'globals' | 'commands'>,
  text: string,
): string {
  const flags = [
    ...(lab ? ['--lab'] : []),
    ...(labProfile === undefined ? [] : [`--lab-profile ${labProfile}`]),
    ...(config === DEFAULT_CONFIG ? [] : [`-c ${quoted(config)}`]),
  ];
  if (flags.length === 0 || commands.length === 0) return text;
  const names = commands.map((command) => command.name).join('|');
  return text.replaceAll(new RegExp(`\\boxherd (?=(?:${names})\\b)`, 'g'), `oxherd ${flags.join(' ')} `);
}

function quoted(word: string): string {
  return /^[\w./@%+:,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
