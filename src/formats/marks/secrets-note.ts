/** The line of a VM's description that says with which secrets its data was made: a fingerprint, nothing secret. */
const LINE = /^secrets (\S+)$/m;

export function secretsNote(fingerprint: string): string {
  return `secrets ${fingerprint}`;
}

export function notedSecrets(description: string): string | undefined {
  return LINE.exec(description.replaceAll('\r', ''))?.[1];
}
