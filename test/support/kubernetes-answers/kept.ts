import type { Answer } from '../kubernetes-contract.js';

/** An answer without what differs from run to run. */
export interface Kept {
  readonly status: number;
  readonly body: unknown;
}

/** Given by chance, by the clock or by the moment: of these only that they are there is kept. */
const CHANCE = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'lastTransitionTime',
  'lastPhaseTransitionTime',
  'expirationTimestamp',
  'startTime',
  'token',
  'nodeName',
  'clusterIP',
]);
/** Who owns which field is compared elsewhere (test/recordings/kubernetes). */
const ELSEWHERE = new Set(['managedFields', 'clusterIPs']);

function plainText(text: string): string {
  return (
    text
      // Go's own print of what changed in its structs, after a sentence that says all.
      .replace(/\n@@[\s\S]*$/, '')
      .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, 'UID')
      .replace(/kube-api-access-\w{5}/g, 'kube-api-access-XXXXX')
      .replace(/X509SHA256=[\da-f]+/g, 'X509SHA256=HASH')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
      // The whole object that a patch made, in Go's order of its fields.
      .replace(/patch: Invalid value: "\{[\s\S]*\}":/, 'patch: Invalid value: "OBJECT":')
      .replace(/(?<=_)[bcdfghjklmnpqrstvwxz2456789]{5}(?="|$)/g, 'XXXXX')
      .replace(/\b10\.20\.30\.\d+\b/g, 'NODE-IP')
      .replace(/\b10\.(9[6-9]|10\d|11[01])\.\d+\.\d+\b(?!\/)/g, 'SERVICE-IP')
  );
}

function plain(value: unknown, name = ''): unknown {
  if (CHANCE.has(name) && (typeof value === 'string' || typeof value === 'number')) return '*';
  if (/[nN]odePort$/.test(name) && typeof value === 'number' && value >= 30000) return '*';
  // What a column is for is a text for people.
  if (Array.isArray(value) && name === 'columnDefinitions') {
    return value.map(({ description: _, ...column }) => plain(column));
  }
  if (Array.isArray(value)) return value.map((item) => plain(item));
  if (typeof value === 'string') return plainText(value);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !ELSEWHERE.has(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, plain(item, key)]);
  return Object.fromEntries(entries);
}

/** The texts of the causes are in the message; their reasons and fields are enough. */
function shortCauses(body: Readonly<Record<string, unknown>>): unknown {
  const details = body.details as { readonly causes?: readonly Record<string, string>[] } | undefined;
  if (!details?.causes) return body;
  const causes = details.causes.map(({ reason, field }) => `${reason} ${field}`);
  return { ...body, details: { ...details, causes } };
}

export function kept({ status, body }: Answer): Kept {
  return { status, body: plain(shortCauses(body)) };
}
