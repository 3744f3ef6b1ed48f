/** Where the page is: `#/`, `#/1/map/pve1`. The server knows nothing of it. */
import { signal } from '@preact/signals';
import { focusHeading } from './focus.js';

export const PAGES = [
  ['map', 'Map'],
  ['plan', 'Plan'],
  ['run', 'Run'],
  ['health', 'Health'],
  ['volumes', 'Volumes'],
  ['upgrade', 'Upgrade path'],
  ['capacity', 'Capacity'],
  ['history', 'History'],
  ['rehearsal', 'Rehearsal'],
] as const;

type PageName = (typeof PAGES)[number][0];

interface Place {
  /** Absent: the fleet. */
  readonly cluster?: string;
  readonly page: PageName;
  /** Host, node or run. */
  readonly rest: readonly string[];
}

export const place = signal<Place>(read());

function read(): Place {
  const [cluster, page = 'map', ...rest] = location.hash
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const known = PAGES.find(([name]) => name === page)?.[0] ?? 'map';
  return cluster === undefined || cluster.includes('=')
    ? { page: 'map', rest: [] }
    : { cluster, page: known, rest };
}

export function follow(): void {
  addEventListener('hashchange', moved);
}

function moved(): void {
  const before = place.value;
  const next = read();
  if (JSON.stringify(before) === JSON.stringify(next)) return;
  place.value = next;
  const isOtherPage = before.page !== next.page || before.cluster !== next.cluster;
  if (isOtherPage) scrollTo(0, 0);
  // The page is rendered in a microtask that is already queued; a key pressed meanwhile comes after both.
  queueMicrotask(() => focusHeading(isOtherPage ? 'page' : 'card'));
}

export function address(
  cluster: string | undefined,
  page: PageName = 'map',
  ...rest: readonly string[]
): string {
  return cluster === undefined ? '#/' : `#/${[cluster, page, ...rest].map(encodeURIComponent).join('/')}`;
}

export function go(cluster: string | undefined, page: PageName = 'map', ...rest: readonly string[]): void {
  location.hash = address(cluster, page, ...rest);
  // The event of the browser comes later, and a key pressed before it would act on the page that is left.
  moved();
}
