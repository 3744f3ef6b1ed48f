/** A view in parts: what is said of a new reading is what differs from the last one. */
import { createHash } from 'node:crypto';
import type { ClusterView } from '../api.js';

type Content = Omit<ClusterView, 'revision'>;

interface Item {
  readonly name: string;
  readonly text: string;
}

/** Each part as JSON, made once. */
export class ViewParts {
  readonly revision: string;
  readonly #plain: ReadonlyMap<string, string>;
  readonly #lists: ReadonlyMap<string, readonly Item[]>;
  readonly #summary: string;

  /** `render` gives JSON without secrets. */
  constructor(view: Content, render: (value: unknown) => string) {
    const { summary, picture, nodes, hosts, conditions, layers, commands } = view;
    const { hosts: pictures, ...head } = picture;
    const items = <T>(list: readonly T[], name: (one: T) => string): Item[] =>
      list.map((one) => ({ name: name(one), text: render(one) }));
    this.#summary = render(summary);
    this.#plain = new Map(
      Object.entries({ head, conditions, layers, commands }).map(([key, value]) => [key, render(value)]),
    );
    this.#lists = new Map([
      ['pictures', items(pictures, ({ name }) => name)],
      ['nodes', items(nodes, ({ node }) => node)],
      ['hosts', items(hosts, ({ name }) => name)],
    ]);
    this.revision = this.#digest();
  }

  /** The whole view as JSON. */
  text(): string {
    const list = (key: string) => `[${(this.#lists.get(key) ?? []).map(({ text }) => text).join(',')}]`;
    const plain = (key: string) => `"${key}":${this.#plain.get(key) ?? 'null'}`;
    // The head is an object with at least a name: the hosts go into it.
    const head = (this.#plain.get('head') ?? '{}').slice(0, -1);
    return [
      `{"revision":"${this.revision}","summary":${this.#summary}`,
      `"picture":${head},"hosts":${list('pictures')}}`,
      `"nodes":${list('nodes')},"hosts":${list('hosts')}`,
      `${plain('conditions')},${plain('layers')},${plain('commands')}}`,
    ].join(',');
  }

  /** A `ViewChange` as JSON. */
  since(before: ViewParts): string {
    const parts = [`"base":"${before.revision}","revision":"${this.revision}"`];
    for (const [key, text] of this.#plain)
      if (before.#plain.get(key) !== text) parts.push(`"${key}":${text}`);
    for (const [key, items] of this.#lists) {
      const change = listChange(before.#lists.get(key) ?? [], items);
      if (change !== undefined) parts.push(`"${key}":${change}`);
    }
    return `{${parts.join(',')}}`;
  }

  /** Not of the summary, which is sent with every event. */
  #digest(): string {
    const hash = createHash('sha256');
    for (const [key, text] of this.#plain) hash.update(`${key}\n${text}\n`);
    for (const [key, items] of this.#lists) {
      hash.update(`${key}\n`);
      for (const { text } of items) hash.update(`${text}\n`);
    }
    return hash.digest('base64url').slice(0, 22);
  }
}

function listChange(before: readonly Item[], after: readonly Item[]): string | undefined {
  const known = new Map(before.map(({ name, text }) => [name, text]));
  const items = after.filter(({ name, text }) => known.get(name) !== text);
  const isSameOrder =
    before.length === after.length && before.every(({ name }, at) => name === after[at]?.name);
  if (items.length === 0 && isSameOrder) return undefined;
  const order = isSameOrder ? '' : `"order":${JSON.stringify(after.map(({ name }) => name))},`;
  return `{${order}"items":[${items.map(({ text }) => text).join(',')}]}`;
}
