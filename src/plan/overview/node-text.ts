/**
 * Texts of steps with what names one node taken out (its name, VM ids, host, address, disks), so that nodes with the
 * same changes can be told by comparing texts. Nothing else is taken out: `fillIn` gives the text of each node back.
 */
import type { Step } from '../steps.js';

/** What a placeholder stands for on one node: `{vm0}` → `151`. */
export type NodeValues = Readonly<Record<string, string>>;

export class NodeText {
  readonly #values: Record<string, string> = {};
  readonly #names = new Map<string, string>();
  readonly #vmids: readonly string[];

  constructor(
    readonly node: string,
    steps: readonly Step[],
  ) {
    this.#vmids = [...new Set(steps.flatMap(vmidsOf))];
  }

  get values(): NodeValues {
    return this.#values;
  }

  /** Text of one of the node's steps with placeholders. */
  template(text: string, step?: Step): string {
    const host = step && step.kind !== 'migrate-vm' && 'host' in step ? step.host : undefined;
    const ip = step && 'ip' in step ? step.ip : undefined;
    let template = text.replaceAll('{', '{{');
    for (const vmid of this.#vmids)
      template = template.replace(new RegExp(`\\b(VM |vm-)${vmid}\\b`, 'g'), (_, before: string) => {
        return `${before}${this.#placeholder('vm', vmid)}`;
      });
    template = template.replace(/\b(?:naa|eui)\.[0-9a-f]{16}\b|\b0x[0-9a-f]{16}\b/g, (wwn) =>
      this.#placeholder('disk', wwn),
    );
    if (this.node !== '') template = this.#replaceWord(template, this.node, 'node');
    if (ip !== undefined && ip !== '') template = this.#replaceWord(template, ip, 'ip');
    // A host is named for its own sake as well; only where a step is carried out it is the node's.
    if (host !== undefined)
      template = this.#replaceWord(template, host, 'host', '(?<=\\b(?:on|from|zone:) )');
    return template;
  }

  #replaceWord(text: string, word: string, kind: string, before = '(?<![\\w.{-])'): string {
    const pattern = new RegExp(`${before}${escaped(word)}(?![\\w}]|\\.\\w|-(?!data\\b))`, 'g');
    return text.replace(pattern, () => this.#placeholder(kind, word));
  }

  /** The same value has the same placeholder; numbered in the order in which texts name them. */
  #placeholder(kind: string, value: string): string {
    const key = `${kind} ${value}`;
    const known = this.#names.get(key);
    if (known !== undefined) return `{${known}}`;
    const number = [...this.#names.keys()].filter((name) => name.startsWith(`${kind} `)).length;
    const name = `${kind}${number}`;
    this.#names.set(key, name);
    this.#values[name] = value;
    return `{${name}}`;
  }
}

export function fillIn(template: string, values: NodeValues): string {
  return template.replace(/\{\{|\{(\w+)\}/g, (whole, name: string | undefined) =>
    name === undefined ? '{' : (values[name] ?? whole),
  );
}

/** For people: what differs from node to node is `each` one's in titles, `the` one's in reasons. */
export function describe(template: string, members: readonly NodeValues[], article: 'each' | 'the'): string {
  const same = (name: string) => {
    const [first, ...others] = members.map((values) => values[name]);
    return first !== undefined && others.every((value) => value === first) ? first : undefined;
  };
  return template
    .replace(/\bdata VM \{vm\d+\}( \(\{node0\}-data\))?/g, `${article} data VM`)
    .replace(/\bVM \{vm\d+\}( \(\{node0\}\))?/g, `${article} VM`)
    .replace(/(?<![^\s(])\{node0\}(?![^\s,;:.)])/g, `${article} node`)
    .replace(/(?<=\b(?:on|from) )\{(host\d+)\}/g, (_, name: string) => same(name) ?? 'its host')
    .replace(/\{\{|\{(\w+?)\d+\}/g, (whole: string, kind: string | undefined) =>
      kind === undefined ? '{' : (same(whole.slice(1, -1)) ?? `<${KINDS[kind] ?? kind}>`),
    );
}

const KINDS: Readonly<Record<string, string>> = {
  vm: 'VM id',
  disk: 'disk id',
  node: 'node',
  ip: 'address',
  host: 'host',
};

function vmidsOf(step: Step): string[] {
  return [
    ...('vmid' in step ? [step.vmid] : []),
    ...('dataVmid' in step && step.dataVmid !== undefined ? [step.dataVmid] : []),
    ...('talosVmid' in step ? [step.talosVmid] : []),
  ].map(String);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
