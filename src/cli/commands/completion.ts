import { OxherdError } from '../../model/error.js';
import type { CommandSpec } from '../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';

const GLOBAL_FLAGS = [
  '--config',
  '--lab',
  '--lab-profile',
  '--fault',
  '--json',
  '--no-color',
  '--help',
  '--version',
];

interface Place {
  /** `''`, `export`, `export qm` */
  readonly path: string;
  readonly words: readonly string[];
}

export async function run(context: CliContext, { args }: CommandInput): Promise<ExitCode> {
  const write = { bash, zsh, fish }[args[0] ?? ''];
  if (!write) {
    throw new OxherdError('cli.shell', `no completion for ${args[0]}`, { advice: 'use bash, zsh or fish' });
  }
  context.stdout.write(write(places('', context.commands)));
  return EXIT.done;
}

function places(path: string, commands: readonly CommandSpec[]): Place[] {
  return [
    { path, words: [...commands.map((command) => command.name), ...GLOBAL_FLAGS] },
    ...commands.flatMap((command) => {
      const below = `${path} ${command.name}`.trim();
      if (command.children) return places(below, command.children);
      return [{ path: below, words: [...(command.options ?? []).map(longFlag), ...GLOBAL_FLAGS] }];
    }),
  ];
}

function longFlag(option: { flags: string }): string {
  return /--[a-z-]+/.exec(option.flags)?.[0] ?? option.flags;
}

function bash(all: readonly Place[]): string {
  const cases = all.map(({ path, words }) => `    "${path}") words="${words.join(' ')}" ;;`);
  return `# bash completion for oxherd: source <(oxherd completion bash)
_oxherd() {
  local path="" word words i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      -c|--config|--lab-profile|--fault) ((i++)) ;;
      -*) ;;
      *) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _oxherd oxherd
`;
}

function zsh(all: readonly Place[]): string {
  return `#compdef oxherd\nautoload -U +X bashcompinit && bashcompinit\n${bash(all)}`;
}

function fish(all: readonly Place[]): string {
  const lines = all.map(({ path, words }) => {
    const names = path.split(' ').filter(Boolean);
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`).join('; and ');
    return `complete -c oxherd -n "${seen || '__fish_use_subcommand'}" -a "${words.join(' ')}"`;
  });
  return `# fish completion for oxherd: oxherd completion fish | source\n${lines.join('\n')}\n`;
}
