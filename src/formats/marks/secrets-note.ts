/** The line of a VM's description that says with which secrets its data was made: a fingerprint, nothing secret. */
const LINE = /^secrets (\S+)$/m;

/** Stands for the fingerprint of secrets that the first apply creates; the same length, and no hash of anything. */
export const SECRETS_TO_COME = '0'.repeat(64);

/** A text that was written before there were secrets, with their fingerprint. */
export function withSecretsNoted(text: string, fingerprint: string): string {
  return text.replaceAll(secretsNote(SECRETS_TO_COME), secretsNote(fingerprint));
}

export function secretsNote(fingerprint: string): string {
  return `secrets ${fingerprint}`;
}

export function notedSecrets(description: string): string | undefined {
  return LINE.exec(description.replaceAll('\r', ''))?.[1];
}
