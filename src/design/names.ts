/** Names of files that clusters of one env may share: `dev-talos-….raw`. */
export function withEnv(env: string, name: string): string {
  return env === '' ? name : `${env}-${name}`;
}

/** Names of drives that no volume can have: they are part of the drives' identity. */
export const OS_DRIVE = 'os';
export const EPHEMERAL_DRIVE = 'ephemeral';

/** Code points, not a locale: the order must be the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
