/** docs/troubleshooting.md, from the codes of the sources. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, findingsIn } from './error-codes.js';
import { NO_CODES, NOTES } from './notes.js';

export interface Entry {
  readonly code: string;
  readonly kind: Finding['kind'];
  readonly says: readonly string[];
  readonly ways: readonly string[];
}

const SHOWN = 3;

/** One for each code, in their order. */
export function entriesOf(src: string): Entry[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/(\.test\.ts$|^lab\/|\/gen\/)/.test(name))
    .sort();
  const found = new Map<string, { kind: Finding['kind']; says: Set<string>; ways: Set<string> }>();
  for (const { code, kind, says, ways } of files.flatMap((name) => findingsIn(join(src, name)))) {
    if (NO_CODES.has(code)) continue;
    const entry = found.get(code) ?? { kind, says: new Set<string>(), ways: new Set<string>() };
    found.set(code, entry);
    for (const text of says) entry.says.add(text);
    for (const text of ways.filter((each) => /[a-z]{3}/.test(each))) entry.ways.add(text);
  }
  return [...found]
    .map(([code, { kind, says, ways }]) => {
      const note = NOTES[code];
      return {
        code,
        kind,
        says: says.size > 0 ? [...says] : note?.says === undefined ? [] : [note.says],
        ways: ways.size > 0 ? [...ways] : note?.way === undefined ? [] : [note.way],
      };
    })
    .sort((a, b) => (a.code < b.code ? -1 : 1));
}

/** Notes of codes that are gone, or that the sources explain themselves. */
export function staleNotes(entries: readonly Entry[]): string[] {
  const known = new Set(entries.map(({ code }) => code));
  return Object.keys(NOTES).filter((code) => !known.has(code));
}

const SECTIONS: Readonly<Record<Finding['kind'], string>> = {
  error: `## Errors of commands

A command that fails prints \`error\`, the message, and \`next\` with what to do; \`--json\` has the code.`,
  diagnostic: `## Errors and warnings in oxherd.yaml

\`oxherd validate\` shows them with line and column; every other command stops at the errors.`,
  problem: `## Problems of a plan

A plan with a problem is shown and not applied.`,
};

export function troubleshootingPage(entries: readonly Entry[]): string {
  const parts = (['error', 'diagnostic', 'problem'] as const).map((kind) => {
    const own = entries.filter((entry) => entry.kind === kind);
    const areas = [...new Set(own.map(({ code }) => areaOf(code, kind)))];
    const tables = areas.map((area) => {
      const rows = own.filter(({ code }) => areaOf(code, kind) === area).map(row);
      const title = area === '' ? [] : [`### ${area}`, ''];
      return [...title, '| code | message | way out |', '| --- | --- | --- |', ...rows].join('\n');
    });
    return `${SECTIONS[kind]}\n\n${tables.join('\n\n')}`;
  });
  return `${INTRO}\n${parts.join('\n\n')}\n`;
}

function areaOf(code: string, kind: Finding['kind']): string {
  return kind === 'problem' ? '' : code.slice(0, code.indexOf('.'));
}

function row({ code, says, ways }: Entry): string {
  const cell = (texts: readonly string[]) =>
    texts
      .slice(0, SHOWN)
      .map((text) => plain(text.replaceAll('\n', ' ').trim()))
      .join('; or: ');
  return `| \`${code}\` | ${cell(says)} | ${cell(ways)} |`;
}

/** What Markdown would take for its own, outside of code. */
function plain(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '\\<')).replaceAll('|', '\\|'))
    .join('');
}

const INTRO = `# Troubleshooting

Look here first:

| question | command |
| --- | --- |
| what is wrong with the cluster? | \`oxherd status\`, \`oxherd status -a\` for every condition |
| what is missing on the Proxmox side? | \`oxherd doctor\` |
| what did the last run do, and where did it stop? | \`oxherd runs show --explain\` |
| plan or status says "could not compare" (exit code 4) | a read failed, or the token may not see a part: the list under "not compared" names it and the reason; nothing is concluded from it. Restore the host, storage or right it names, then run the command again |
| would it work? | \`oxherd rehearse\`: the plan on a twin of the cluster ([rehearsal.md](rehearsal.md)) |
| why does a plan want that? | each step has its reason; \`oxherd plan --drift-only\` shows changes made outside oxherd |
| a run was killed | \`oxherd apply\` again: it resumes ([locking.md](locking.md)) |
| data or nodes are lost | [recovery.md](recovery.md), [hosts.md](hosts.md) |
| more words | \`-v\`, \`--log-format json\` |

Every message has a stable code. The lists below are made from the sources by \`scripts/generate-troubleshooting.ts\`; \`…\` stands for
what differs from case to case.
`;
