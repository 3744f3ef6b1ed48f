/** docs/cli.md: every command with its flags, JSON and exit codes, from what the commands say of themselves. */
import type { CommandSpec, OptionSpec } from '../../src/cli/command-spec.js';
import { GLOBAL_OPTIONS } from '../../src/cli/commands/global-options.js';
import type { Entry } from './command-table.js';

export const REFERENCE_FILE = new URL('../../docs/cli.md', import.meta.url);

const INTRODUCTION = `# Command line

Written by \`npx tsx scripts/generate-commands.ts\` from the commands; do not edit.

    oxherd [flags] COMMAND [flags]

## Exit codes

| code | means |
| --- | --- |
| 0 | done, or nothing to do |
| 1 | failed, refused, or not confirmed; the message names the next step |
| 2 | \`plan --exit-code\`: something is to be done |
| 3 | \`status\`, \`apply\` without changes: a condition failed |
| 4 | nothing failed, but something in scope could not be compared; names and reasons are printed. 4 wins over 0 and 2 |
| 130 | interrupted by Ctrl-C; what ran was finished or cancelled, and the next run resumes |
| 143 | ended by SIGTERM |

## JSON

With \`--json\` stdout holds JSON and nothing else: one document, or one event per line where a command runs long. An error is
\`{ "error": { "code", "message", "where"?, "advice"? } }\`. The events of a run have a \`type\` and a time \`at\` (ms):
\`run-started\` (\`runId\`, \`steps\`), \`step-started\` (\`step\`, \`title\`, \`node\`?), \`step-progress\` (\`message\`), \`step-done\` (\`ms\`,
\`already\`, \`warnings\`), \`step-failed\` (\`error\`), \`node-away\` and \`node-back\` (\`node\`, \`reason\`), \`run-ended\` (\`result\` with
\`outcome\` \`done\`, \`failed\` or \`interrupted\`). Secrets are redacted.

## Log

Notes, progress and errors go to stderr. \`--log-format json\` writes one object per line (\`time\`, \`level\`, \`message\`, for errors
\`code\`, \`where\` and \`advice\`); \`-v\` adds every request to Proxmox without its parameters; \`-q\` leaves failures alone.
\`OXHERD_LOG\` sets the same where no flag does: \`debug\`, \`error\`, \`json\`, or both as in \`debug,json\`.
`;

export function cliReference(entries: readonly Entry[]): string {
  return [
    INTRODUCTION,
    '## Flags of every command\n',
    optionTable(GLOBAL_OPTIONS),
    '## Commands\n',
    ...entries.flatMap((entry) => section(entry)),
  ].join('\n');
}

function section({ path, spec, children }: Entry): string[] {
  const usage = [path, ...(spec.args ?? []).map(({ name }) => name)].join(' ');
  return [
    `### ${path}\n`,
    `${sentence(spec.details ?? spec.summary)}\n`,
    ...(children ? [] : [`    oxherd ${usage}${spec.options?.length ? ' [flags]' : ''}\n`]),
    ...(spec.args?.length ? [argumentTable(spec)] : []),
    ...(spec.options?.length ? [optionTable(spec.options)] : []),
    ...(children ? [] : facts(spec)),
    ...(children ?? []).flatMap((child) => section(child)),
  ];
}

function facts({ json, exits, examples }: CommandSpec): string[] {
  const codes = Object.entries(exits ?? {}).map(([code, when]) => `exit ${code}: ${when}`);
  return [
    `- \`--json\`: ${json ?? 'the events of the run, one per line, where it makes one'}`,
    ...codes.map((line) => `- ${line}`),
    ...examples.map(({ command, does }) => `- \`${command}\`: ${does}`),
    '',
  ];
}

function argumentTable({ args = [] }: CommandSpec): string {
  const rows = args.map(({ name, description }) => `| \`${name}\` | ${cell(description)} |`);
  return ['| argument | is |', '| --- | --- |', ...rows, ''].join('\n');
}

function optionTable(options: readonly OptionSpec[]): string {
  const rows = options.map(({ flags, description, choices, default: value }) => {
    const more = [
      ...(choices ? [`one of ${choices.map((choice) => `\`${choice}\``).join(', ')}`] : []),
      ...(value === undefined || value === false ? [] : [`default \`${value}\``]),
    ];
    return `| \`${flags}\` | ${cell([description, ...more].join('; '))} |`;
  });
  return ['| flag | does |', '| --- | --- |', ...rows, ''].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|');

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return whole.endsWith('.') ? whole : `${whole}.`;
}
