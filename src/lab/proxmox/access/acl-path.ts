/** ACL paths: how they are written and which there are (pve-access-control). */

const NAME = '[A-Za-z0-9.\\-_]+';

const KNOWN = [
  '/',
  '/access',
  '/access/groups',
  `/access/groups/${NAME}`,
  '/access/realm',
  `/access/realm/${NAME}`,
  '/nodes',
  `/nodes/${NAME}`,
  '/pool',
  `/pool/${NAME}(?:/${NAME}){0,2}`,
  '/sdn',
  '/sdn/(?:controllers|dns|fabrics|ipams|prefix-lists|route-maps|zones)',
  '/sdn/controllers/[A-Za-z0-9_-]+',
  '/sdn/(?:dns|fabrics|ipams|prefix-lists|route-maps)/[A-Za-z0-9]+',
  `/sdn/zones/${NAME}`,
  `/sdn/zones/${NAME}/${NAME}`,
  `/sdn/zones/${NAME}/${NAME}/[1-9][0-9]{0,3}`,
  '/storage',
  `/storage/${NAME}`,
  '/vms',
  '/vms/[1-9][0-9]{2,}',
  '/mapping',
  `/mapping/${NAME}`,
  `/mapping/${NAME}/${NAME}`,
];

const KNOWN_PATH = new RegExp(`^(?:${KNOWN.join('|')})$`);

/** `undefined`: no path at all. */
export function normalisePath(path: string): string | undefined {
  if (path === '' || path === '0') return undefined;
  const single = path.replace(/\/+/g, '/').replace(/\/$/, '');
  const absolute = single === '' ? '/' : single.startsWith('/') ? single : `/${single}`;
  return /^[\p{L}\p{N}.\-_/]+$/u.test(absolute) ? absolute : undefined;
}

export function isKnownPath(path: string): boolean {
  return KNOWN_PATH.test(path);
}

/** `/`, `/vms`, `/vms/100`: a path and everything above it, from the top. */
export function pathAndAbove(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)];
}
