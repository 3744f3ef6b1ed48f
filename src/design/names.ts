/** Names of files that clusters of one env may share: `dev-talos-….raw`. */
export function withEnv(env: string, name: string): string {
  return env === '' ? name : `${env}-${name}`;
}

/** Names of drives that no volume can have: they are part of the drives' identity. */
export const OS_DRIVE = 'os';
export const EPHEMERAL_DRIVE = 'ephemeral';
