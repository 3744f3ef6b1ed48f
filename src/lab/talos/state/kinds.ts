import { KIND_TABLE, NAMESPACE_TABLE } from './kind-table.js';

/** A kind of resources. One that is not in the table does not exist for a machine's API. */
interface Kind {
  readonly type: string;
  readonly namespace: string;
  readonly display: string;
  /** Shown by `get rd`. */
  readonly aliases: readonly string[];
  /** All that it is found by. */
  readonly allAliases: readonly string[];
  readonly columns: readonly { readonly name: string; readonly jsonPath: string }[];
  /** Only admins read it. */
  readonly sensitive: boolean;
}

const lines = (table: string) => table.trim().split('\n');

export const KINDS: readonly Kind[] = lines(KIND_TABLE).map(readKind);

export const NAMESPACES: Readonly<Record<string, string>> = Object.fromEntries(
  lines(NAMESPACE_TABLE).map((line) => {
    const [id = '', ...description] = line.split(' ');
    return [id, description.join(' ')];
  }),
);

function readKind(line: string): Kind {
  const [head = '', ...columns] = line.split(' | ');
  const [marked = '', namespace = '', display = '', own = ''] = head.split(' ');
  const flags = /^[!-]*/.exec(marked)?.[0] ?? '';
  const type = marked.slice(flags.length);
  const given = own === '' ? [] : own.split(',');
  const { aliases, allAliases } = flags.includes('-')
    ? { aliases: given, allAliases: given }
    : withAliases(type, display, given);
  return {
    type,
    namespace,
    display,
    aliases,
    allAliases,
    columns: columns.map((column) => {
      const start = column.indexOf(' {');
      return { name: column.slice(0, start), jsonPath: column.slice(start + 1) };
    }),
    sensitive: flags.includes('!'),
  };
}

/** The names that a definition gets by itself (cosi runtime, meta/spec `Fill`): parts of its type, and its capitals. */
function withAliases(type: string, display: string, own: readonly string[]) {
  const [name = '', ...suffix] = type.split('.');
  const lower = name.toLowerCase();
  const capitals = name.replaceAll(/[^A-Z]/g, '');
  const short =
    capitals.length < 2
      ? []
      : [capitals.toLowerCase(), ...(capitals.endsWith('S') ? [] : [`${capitals.toLowerCase()}s`])];
  const aliases = [...own, display.toLowerCase(), ...short];
  const parts = suffix.slice(0, -1).map((_, index) => [lower, ...suffix.slice(0, index + 1)].join('.'));
  return { aliases, allAliases: [lower, ...parts, ...aliases] };
}

const byLowerType = new Map(KINDS.map((one) => [one.type.toLowerCase(), one]));

/** The access check looks types up in lower case; the store itself does not (recording `COSI type in lower case`). */
export function findKind(type: string): Kind | undefined {
  return byLowerType.get(type.toLowerCase());
}
