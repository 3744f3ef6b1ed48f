/** Prints a completion script, written from the table of commands. */
import { OxherdError } from '../../../model/error.js';
import type { CommandSpec, OptionSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';

export const command: CommandSpec = {
  name: 'completion',
  summary: 'print a completion script',
  args: [{ name: '<shell>', description: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
  examples: [{ command: 'source <(oxherd completion bash)', does: 'completes commands and flags' }],
};

const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { flags: '-c, --config <file>', description: 'the cluster' },
  { flags: '--lab', description: 'run on the embedded lab' },
  { flags: '--lab-profile <name>', description: 'fixed world a new lab starts from' },
  { flags: '--lab-kubernetes <kind>', description: 'simulated or real' },
  { flags: '--fault <name>', description: 'inject a fault into the lab by name' },
  { flags: '--json', description: 'print JSON' },
  { flags: '--no-color', description: 'no colours' },
  { flags: '--help', description: 'flags and examples' },
];

/** A point in the tree of commands and what may follow there. */
interface Place {
  /** `''`, `export`, `export qm` */
  readonly path: string;
  readonly children: readonly CommandSpec[];
  readonly options: readonly OptionSpec[];
  /** Words that its first argument may be. */
  readonly words: readonly string[];
}

export async function run(context: CliContext, { args }: CommandInput): Promise<ExitCode> {
  const write = { bash, zsh, fish }[args[0] ?? ''];
  if (!write) {
    throw new OxherdError('cli.shell', `no completion for ${args[0]}`, { advice: 'use bash, zsh or fish' });
  }
  const options = [...GLOBAL_OPTIONS, { flags: '--version', description: 'print the version' }];
  const root: Place = { path: '', children: context.commands, options, words: [] };
  context.stdout.write(write([root, ...placesBelow(root)]));
  return EXIT.done;
}

function placesBelow({ path, children }: Place): Place[] {
  return children.flatMap((command) => {
    const place: Place = {
      path: `${path} ${command.name}`.trim(),
      children: command.children ?? [],
      options: [...(command.options ?? []), ...GLOBAL_OPTIONS],
      words: command.args?.[0]?.choices ?? [],
    };
    return [place, ...placesBelow(place)];
  });
}

/** `-c` and `--config` of `-c, --config <file>`. */
function names({ flags }: OptionSpec): readonly string[] {
  return flags.match(/--?[a-z][a-z-]*/g) ?? [];
}

function longName(option: OptionSpec): string {
  return names(option).at(-1) ?? '';
}

function takesValue({ flags }: OptionSpec): boolean {
  return flags.includes('<');
}

function bash(places: readonly Place[]): string {
  const values = new Set(places.flatMap(({ options }) => options.filter(takesValue).flatMap(names)));
  const chosen = places.flatMap(({ path, options }) =>
    options.flatMap((option) =>
      option.choices ? [`    "${path} ${longName(option)}") words="${option.choices.join(' ')}" ;;`] : [],
    ),
  );
  const offered = places.map(({ path, children, options, words }) => {
    const all = [...children.map((child) => child.name), ...words, ...options.map(longName)];
    return `    "${path}") words="${all.join(' ')}" ;;`;
  });
  const known = places.flatMap(({ path }) => (path === '' ? [] : [`"${path}"`]));
  return `# bash completion for oxherd: source <(oxherd completion bash)
_oxherd() {
  local path="" word words="" i current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      ${[...values].join('|')}) ((i++)) ;;
      -*) ;;
      *) case "\${path:+$path }$word" in
        ${known.join('|')}) path="\${path:+$path }$word" ;;
      esac ;;
    esac
  done
  case "$path $before" in
${chosen.join('\n')}
    *) case "$before" in ${[...values].join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;; esac ;;
  esac
  [[ -z $words ]] && case "$path" in
${offered.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _oxherd oxherd
`;
}

function zsh(places: readonly Place[]): string {
  return `#compdef oxherd\nautoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bash(places)}`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap((place) => {
    const when = `-n '${condition(place)}'`;
    return [
      ...place.children.map(
        ({ name, summary }) => `complete -c oxherd -f ${when} -a ${name} -d ${quote(summary)}`,
      ),
      ...(place.words.length > 0 ? [`complete -c oxherd -f ${when} -a '${place.words.join(' ')}'`] : []),
      ...place.options.map((option) => {
        const value = option.choices
          ? ` -x -a '${option.choices.join(' ')}'`
          : takesValue(option)
            ? ' -r'
            : '';
        return `complete -c oxherd ${when} -l ${longName(option).slice(2)}${value} -d ${quote(option.description)}`;
      }),
    ];
  });
  return `# fish completion for oxherd: oxherd completion fish | source\n${lines.join('\n')}\n`;
}

/** At this place and at none below it. */
function condition({ path, children }: Place): string {
  if (path === '') return '__fish_use_subcommand';
  const here = path.split(' ').map((name) => `__fish_seen_subcommand_from ${name}`);
  const below = children.map(({ name }) => name).join(' ');
  return [...here, ...(below ? [`not __fish_seen_subcommand_from ${below}`] : [])].join('; and ');
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
