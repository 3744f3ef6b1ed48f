/** The oxherd that a pipeline runs beside its secrets: a path, or a tarball with its sha256; never a name. */
export type PinnedOxherd =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'tarball'; readonly source: string; readonly sha256: string };

export interface PipelineOptions {
  readonly program: PinnedOxherd;
  /** Path of the config in the repository. */
  readonly config: string;
  readonly branch: string;
}

/** A name would be looked up on the PATH or in a registry, where anyone can register it. */
export function isPinned(program: PinnedOxherd): boolean {
  return program.kind === 'path'
    ? /^\/[A-Za-z0-9._/@+-]+$/.test(program.path)
    : /^[0-9a-f]{64}$/.test(program.sha256) &&
        (/^https:\/\/[A-Za-z0-9.-]+(:\d+)?\/[A-Za-z0-9._~/%@+-]+$/.test(program.source) ||
          /^\/[A-Za-z0-9._/@+-]+$/.test(program.source));
}

/** Shell lines that put the pinned oxherd at `$OXHERD`. */
export function installLines(program: PinnedOxherd): string[] {
  if (program.kind === 'path') return [`OXHERD=${program.path}`, 'test -x "$OXHERD"'];
  const { source, sha256 } = program;
  const fetch = source.startsWith('https:')
    ? `curl --fail --silent --show-error --location --proto '=https' --output "$folder/oxherd.tgz" '${source}'`
    : `cp '${source}' "$folder/oxherd.tgz"`;
  return [
    'folder=$(mktemp -d)',
    fetch,
    // The copy that is checked is the copy that is installed.
    `echo '${sha256}  '"$folder/oxherd.tgz" | sha256sum --check --quiet`,
    'tar -xzf "$folder/oxherd.tgz" -C "$folder"',
    'cp "$folder/package/dist/package-lock.json" "$folder/package/"',
    // By the lockfile, whose hashes the tarball's hash covers. No script of a package runs, so none sees a secret.
    '(cd "$folder/package" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error)',
    'OXHERD=$folder/package/dist/bin/oxherd.js',
  ];
}
