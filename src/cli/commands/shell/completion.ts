/** Prints a completion script, written from the table of commands. */

import { design } from '../../../design/design-cluster.js';
import { OxherdError } from '../../../model/error.js';
import { readConfig } from '../../../session/config/read-config.js';
import type { CommandSpec, ConfigNames, OptionSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { GLOBAL_OPTIONS } from '../global-options.js';

export const command: CommandSpec = {
  name: 'completion',
  summary: 'print a completion script',
  args: [
    {
      name: '<shell>',
      description:
        'bash, zsh or fish; nodes, hosts or volumes print the names of the config, for the scripts',
      choices: ['bash', 'zsh', 'fish'],
    },
  ],
  json: 'nothing else than without the flag',
  examples: [
    {
      command: 'source <(oxherd completion bash)',
      does: 'completes commands, flags, nodes, hosts and volumes',
    },
  ],
};

const HELP: OptionSpec = { flags: '--help', description: 'flags and examples' };

/** A point in the tree of commands and what may follow there. */
interface Place {
  /** `''`, `export`, `export qm` */
  readonly path: string;
  readonly children: readonly CommandSpec[];
  readonly options: readonly OptionSpec[];
  /** Words that its first argument may be. */
  readonly words: readonly string[];
  /** Names of the config that its arguments are. */
  readonly names?: ConfigNames;
}

export async function run(context: CliContext, { args }: CommandInput): Promise<ExitCode> {
  if (args[0] === 'nodes' || args[0] === 'hosts' || args[0] === 'volumes') {
    context.stdout.write(
      namesIn(context, args[0])
        .map((name) => `${name}\n`)
        .join(''),
    );
    return EXIT.done;
  }
  const write = { bash, zsh, fish }[args[0] ?? ''];
  if (!write) {
    throw new OxherdError('cli.shell', `no completion for ${args[0]}`, { advice: 'use bash, zsh or fish' });
  }
  const options = [...GLOBAL_OPTIONS, HELP, { flags: '--version', description: 'print the version' }];
  const root: Place = { path: '', children: context.commands, options, words: [] };
  context.stdout.write(write([root, ...placesBelow(root)]));
  return EXIT.done;
}

function placesBelow({ path, children }: Place): Place[] {
  return children.flatMap((command) => {
    const place: Place = {
      path: `${path} ${command.name}`.trim(),
      children: command.children ?? [],
      options: [...(command.options ?? []), ...GLOBAL_OPTIONS, HELP],
      words: command.args?.[0]?.choices ?? [],
      ...(command.args?.[0]?.names && { names: command.args[0].names }),
    };
    return [place, ...placesBelow(place)];
  });
}

/** From the config alone; nothing where it has errors: a shell has no place for them. */
function namesIn(context: CliContext, kind: ConfigNames): string[] {
  const { config } = readConfig(context);
  if (!config) return [];
  const { nodes, csiVolumes } = design(config);
  if (kind === 'nodes') return nodes.map(({ name }) => name);
  if (kind === 'hosts') return [...new Set(nodes.map(({ host }) => host))];
  return [
    ...nodes.flatMap((node) =>
      node.drives.filter(({ kept }) => kept).map(({ name }) => `${node.name}/${name}`),
    ),
    ...csiVolumes.map(({ name }) => name),
  ];
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
  const asked = (names: ConfigNames) => `$(_oxherd_names ${names})`;
  const named = places.flatMap(({ path, options }) =>
    options.flatMap((option) =>
      option.names ? [`    "${path} ${longName(option)}") words="${asked(option.names)}" ;;`] : [],
    ),
  );
  const offered = places.map(({ path, children, options, words, names }) => {
    const all = [
      ...children.map((child) => child.name),
      ...words,
      ...(names ? [asked(names)] : []),
      ...options.map(longName),
    ];
    return `    "${path}") words="${all.join(' ')}" ;;`;
  });
  const known = places.flatMap(({ path }) => (path === '' ? [] : [`"${path}"`]));
  return `# bash completion for oxherd: source <(oxherd completion bash)
_oxherd_names() { "\${COMP_WORDS[0]}" \${config:+-c "$config"} completion "$1" 2>/dev/null; }
_oxherd() {
  local path="" word words="" config="" i current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in -c|--config) config="\${COMP_WORDS[i + 1]}" ;; esac
    case "$word" in
      ${[...values].join('|')}) ((i++)) ;;
      -*) ;;
      *) case "\${path:+$path }$word" in
        ${known.join('|')}) path="\${path:+$path }$word" ;;
      esac ;;
    esac
  done
  case "$path $before" in
${[...chosen, ...named].join('\n')}
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
      ...(place.names
        ? [`complete -c oxherd -f ${when} -a '(oxherd completion ${place.names} 2>/dev/null)'`]
        : []),
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
