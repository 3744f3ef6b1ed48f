/** How Proxmox wants requests written (recording protocol-errors). */

export type ParamValue = string | number | boolean | readonly (string | number)[] | undefined;
export type Params = Readonly<Record<string, ParamValue>>;

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

export function isMethod(text: string): text is Method {
  return METHODS.some((method) => method === text);
}

/** Booleans are 0 or 1, `undefined` is left out, a list repeats its key. */
export function encodeParams(params: Params): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) {
      const text = typeof item === 'boolean' ? (item ? '1' : '0') : String(item);
      parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(text)}`);
    }
  }
  return parts.join('&');
}

/**
 * One segment of a path. `:` and `@` stay as they are: they are part of UPIDs, user names and volume ids and legal
 * there; `!` does not stay, as in other clients.
 */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':').replaceAll('%40', '@').replaceAll('!', '%21');
}

/** The host that a request is for, as its path says; the empty string for the cluster as a whole. */
export function hostOfPath(path: string): string {
  return decodeURIComponent(/^\/nodes\/([^/?]+)/.exec(path)?.[1] ?? '');
}
