/**
 * Names that a publisher of oxherd fills in; no other file holds them. The project owns no name in public, so every value
 * here is reserved by a standard: nothing can be fetched from a name that a stranger registers. After a change run
 * `npx tsx scripts/generate-publisher.ts` (CONTRIBUTING.md, "Publishing").
 */
export interface Publisher {
  /**
   * API group of the fleet's kinds, and prefix of all annotations, labels and finalizers. Objects in clusters keep it, so
   * it changes before the first release and never after it.
   */
  readonly domain: string;
  /** The controller's image without tag and digest. Only examples in messages and docs show it. */
  readonly image: string;
  /** Fields of package.json for a registry; `undefined` makes the package private. */
  readonly npm:
    | {
        readonly name: string;
        readonly homepage: string;
        readonly repository: string;
        readonly bugs: string;
      }
    | undefined;
}

export const PUBLISHER: Publisher = {
  domain: 'oxherd.internal',
  image: 'registry.example.com/oxherd',
  npm: undefined,
};

/** Key of an annotation or label of oxherd. */
export function ownKey(name: string): string {
  return `${PUBLISHER.domain}/${name}`;
}
