/**
 * The line of a VM's description that says with which secrets the VM was made: a fingerprint, nothing secret. It stands
 * on Talos VMs and on data VMs, because either may be the only one that is left of a node.
 */
const LINE = /^secrets (\S+)$/;

/** Stands for the fingerprint of secrets that the first apply creates; the same length, and no hash of anything. */
export const SECRETS_TO_COME = '0'.repeat(64);

/** A text that was written before there were secrets, with their fingerprint. */
export function withSecretsNoted(text: string, fingerprint: string): string {
  return text.replaceAll(secretsNote(SECRETS_TO_COME), secretsNote(fingerprint));
}

export function secretsNote(fingerprint: string): string {
  return `secrets ${fingerprint}`;
}

/** The last such line: the user's own text stands above. */
export function notedSecrets(description: string): string | undefined {
  return linesOf(description)
    .map((line) => LINE.exec(line)?.[1])
    .findLast((fingerprint) => fingerprint !== undefined);
}

/** For a VM that nothing proves to be this cluster's. */
export function withoutSecretsNote(description: string): string {
  return linesOf(description)
    .filter((line) => !LINE.test(line))
    .join('\n');
}

function linesOf(description: string): string[] {
  return description.replaceAll('\r', '').split('\n');
}
