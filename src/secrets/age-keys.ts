/** Where age keys are, by the rules of `sops`. */

import { OxherdError } from '../model/error.js';

export interface AgeKeyPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  readonly platform: string;
  /** `undefined` where there is no such file. */
  readonly readFile: (path: string) => Promise<string | undefined>;
}

/** The file that `sops` reads without being told. */
export function defaultAgeKeyFile({ env, home, platform }: Omit<AgeKeyPlaces, 'readFile'>): string {
  if (env.XDG_CONFIG_HOME) return `${env.XDG_CONFIG_HOME}/sops/age/keys.txt`;
  const config = platform === 'darwin' ? `${home}/Library/Application Support` : `${home}/.config`;
  return `${config}/sops/age/keys.txt`;
}

/** Every identity there is: `SOPS_AGE_KEY`, then `SOPS_AGE_KEY_FILE`, then the usual file. */
export async function findAgeIdentities(places: AgeKeyPlaces): Promise<string[]> {
  const texts: string[] = [places.env.SOPS_AGE_KEY ?? ''];
  const named = places.env.SOPS_AGE_KEY_FILE;
  if (named) {
    const text = await places.readFile(named);
    if (text === undefined) {
      throw new OxherdError('sops.no-key', `SOPS_AGE_KEY_FILE names ${named}, which does not exist`, {
        where: named,
        advice: 'Correct the variable or unset it.',
      });
    }
    texts.push(text);
  }
  texts.push((await places.readFile(defaultAgeKeyFile(places))) ?? '');
  const identities = texts.flatMap((text) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.startsWith('AGE-SECRET-KEY-')),
  );
  return [...new Set(identities)];
}

/** For whom new files are encrypted: `SOPS_AGE_RECIPIENTS`, else the holders of the keys that are here. */
export async function recipientsFor(
  env: Readonly<Record<string, string | undefined>>,
  identities: readonly string[],
): Promise<string[]> {
  const named = (env.SOPS_AGE_RECIPIENTS ?? '').split(',').map((part) => part.trim());
  const recipients = named.filter((part) => part !== '');
  if (recipients.length > 0) return recipients;
  const { identityToRecipient } = await import('age-encryption');
  return Promise.all(identities.map((identity) => identityToRecipient(identity)));
}

/** A key file as `age-keygen` writes it. */
export async function newAgeKeyFile(
  now: Date,
): Promise<{ text: string; identity: string; recipient: string }> {
  const { generateX25519Identity, identityToRecipient } = await import('age-encryption');
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  const created = `${now.toISOString().slice(0, 19)}Z`;
  return { identity, recipient, text: `# created: ${created}\n# public key: ${recipient}\n${identity}\n` };
}
