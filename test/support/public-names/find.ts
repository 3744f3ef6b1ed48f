/** Finds names in a text that anyone can register: packages, images, repositories and domains that a reader or a program would fetch from. */

/** `npm:tsx`, `brew:x`, `docker.io/OWNER`, `github.com/OWNER`, `talos.dev`: lower case. */
export type PublicName = string;

/** Reserved by RFC 2606, RFC 6761, RFC 8375 or ICANN: these are never delegated. */
const RESERVED =
  /(?:^|\.)(?:example|invalid|test|localhost|internal|local|home\.arpa|example\.(?:com|net|org))$/;

/** Everyone can have an account there: the owner is part of the name. */
const SHARED_HOSTS = new Set([
  'github.com',
  'raw.githubusercontent.com',
  'gitlab.com',
  'codeberg.org',
  'bitbucket.org',
  'ghcr.io',
  'docker.io',
  'index.docker.io',
  'hub.docker.com',
  'quay.io',
  'gcr.io',
  'registry.gitlab.com',
  'public.ecr.aws',
  'npmjs.com',
  'www.npmjs.com',
  'pypi.org',
  'artifacthub.io',
]);

/** Endings that stand for a domain in any text. Others count in URLs, and in names with the project's own name. */
const TOP_LEVEL = 'com|org|net|io|dev|app|cloud|ai|sh|co|run|tools|tech';

/** Fields of objects in this code that look like domains: `site.run`. */
const FIELDS = new Set(['run', 'tools', 'tech', 'co', 'app', 'cloud', 'net']);

const LABEL = '[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?';
const OWNER = '(?:[/:]([a-z0-9][\\w.-]*))?';
const URL_HOST = new RegExp(
  `\\b[a-z][a-z0-9+.-]*://(?:[^\\s/@'"\`]*@)?([a-z0-9][a-z0-9.-]*)(?::\\d+)?${OWNER}`,
  'gi',
);
const BARE_DOMAIN = new RegExp(
  `(?<![\\w$.-])((?:${LABEL}\\.)+(?:${TOP_LEVEL}))(?![\\w-]|\\.[a-z0-9(])${OWNER}`,
  'gi',
);
/** With the project's own name every ending counts. */
const OWN_DOMAIN =
  /(?<![\w$./-])((?:[a-z0-9-]+\.)*[a-z0-9-]*oxherd[a-z0-9-]*(?:\.[a-z0-9-]+)*\.[a-z]{2,})(?![\w(-])/gi;
const SCOPED = /(?<![\w.@])@[a-z0-9][\w.-]*\/[a-z0-9][\w.-]*/g;
const LOCKED = /"node_modules\/(?:[^"]*node_modules\/)?([^"/]*oxherd[^"/]*)"/g;
const ACTION = /\buses:\s*["']?([a-z0-9][\w-]*)\/[\w./-]+@/gi;
/** `owner/name` without a host is on Docker Hub. A name without an owner is in Docker's own library. */
const HUB_IMAGE =
  /(?:\bimage["']?\s*[:=]\s*["'`]?|--image[ =]|\bFROM\s+|\bdocker\s+(?:run|pull|create)\b[^\n]*?[ \t])([a-z0-9][a-z0-9_-]*)\/[a-z0-9][\w.-]*(?=[\s:@"'`]|$)/gm;

/** Programs that fetch what they are named, and whether only the first name is a package. */
const FETCHERS: readonly { readonly words: string; readonly registry: string; readonly first: boolean }[] = [
  { words: 'npx|bunx|npm exec|npm x|pnpm dlx|pnpx|yarn dlx', registry: 'npm', first: true },
  { words: 'npm (?:install|i|add)|pnpm add|yarn (?:global )?add|bun add', registry: 'npm', first: false },
  { words: 'pipx? install|pipx run|uvx|uv tool install', registry: 'pypi', first: false },
  { words: 'cargo install', registry: 'crates', first: false },
  { words: 'gem install', registry: 'rubygems', first: false },
  { words: 'brew (?:install|tap)', registry: 'brew', first: false },
  { words: 'kubectl krew install', registry: 'krew', first: false },
  { words: 'snap install', registry: 'snap', first: false },
];

/** @param isFile whether a file of this name is part of the project: `start.sh` is a file here, `oxherd.sh` a domain. */
export function publicNames(text: string, isFile: (name: string) => boolean): Set<PublicName> {
  const names = new Set<PublicName>();
  const host = (name: string, owner?: string) => {
    const lower = name.toLowerCase().replace(/\.$/, '');
    if (!lower.includes('.') || /^[\d.]+$/.test(lower) || RESERVED.test(lower) || isFile(lower)) return;
    names.add(SHARED_HOSTS.has(lower) && owner !== undefined ? `${lower}/${owner.toLowerCase()}` : lower);
  };
  for (const [, name = '', owner] of text.matchAll(URL_HOST)) host(name, owner);
  for (const [, name = '', owner] of text.matchAll(BARE_DOMAIN)) if (!isField(name)) host(name, owner);
  for (const [, name = ''] of text.matchAll(OWN_DOMAIN)) if (!isOwnFile(name)) host(name);
  for (const [name] of text.matchAll(SCOPED)) names.add(`npm:${name}`);
  for (const [, name = ''] of text.matchAll(LOCKED)) names.add(`npm:${name}`);
  for (const [, owner = ''] of text.matchAll(ACTION)) names.add(`github.com/${owner.toLowerCase()}`);
  for (const [, owner = ''] of text.matchAll(HUB_IMAGE)) names.add(`docker.io/${owner}`);
  for (const { words, registry, first } of FETCHERS) {
    for (const list of fetched(text, words))
      for (const name of first ? list.slice(0, 1) : list) names.add(`${registry}:${name}`);
  }
  return names;
}

/** `site.run`, `subnet.net`: two plain words and an ending that fields of objects have here. */
function isField(name: string): boolean {
  const labels = name.split('.');
  return (
    FIELDS.has(labels.at(-1) ?? '') &&
    !name.includes('oxherd') &&
    labels.every((one) => /^[a-z]+$/i.test(one))
  );
}

/** `oxherd.yaml`, `oxherd-0.1.0.tgz`, `oxherd.1.gz`. */
function isOwnFile(name: string): boolean {
  return /\.(?:ya?ml|json|m?js|ts|tsx|tgz|gz|svg|html|css|log|snapshot|agekey|tar|tfvars|tf|txt|json\.md)$/i.test(
    name,
  );
}

/** Names after a command, in a shell (`npx tsx x`) and as a list (`'npx', ['tsx', 'x']`). */
function fetched(text: string, words: string): string[][] {
  const shell = new RegExp(`(?<![\\w-])(?:${words})[ \\t]+([^\\n;|&\`"'()#<>,]*)`, 'g');
  const list = new RegExp(
    `['"](?:${words.replaceAll(' ', `['"], ['"]`)})['"],\\s*\\[?\\s*((?:['"][^'"\\n]*['"],?\\s*)+)`,
    'g',
  );
  return [
    ...[...text.matchAll(shell)].map(([, rest = '']) => rest.trim().split(/\s+/)),
    ...[...text.matchAll(list)].map(([, rest = '']) =>
      [...rest.matchAll(/['"]([^'"]*)['"]/g)].map((one) => one[1] ?? ''),
    ),
  ].map((tokens) => tokens.flatMap(packageOf));
}

/** Without version; nothing for flags, paths, tarballs and variables. */
function packageOf(token: string): string[] {
  const flagged = /^(?:-p|--package)=(.+)$/.exec(token)?.[1] ?? token;
  if (/^-|^[./~$\\{]|\.tgz$|^(?:file|https?|git\+?\w*):/.test(flagged)) return [];
  if (!flagged.startsWith('@') && flagged.includes('/')) return [];
  const name = /^(@[\w.-]+\/)?[a-z0-9][\w.-]*/i.exec(flagged)?.[0];
  return name === undefined ? [] : [name];
}
