/** Where the page is: `#/`, `#/1/map/pve1`. The server knows nothing of it. */
import { signal } from '@preact/signals';

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
  addEventListener('hashchange', () => {
    const before = place.value;
    place.value = read();
    // A page that is another one begins at its top, and its heading is read out.
    if (before.page === place.value.page && before.cluster === place.value.cluster) return;
    scrollTo(0, 0);
    setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus(), 0);
  });
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
}
