/**
 * Room `secrets`: secrets of a cluster: made, kept, encrypted, and certificates from them.
 * May touch: the secrets file, keys of age, random numbers.
 *
 * Reads and writes the secrets file of a cluster.
 */
import { randomBytes } from 'node:crypto';
import { homedir, platform } from 'node:os';
import { isMapping } from '../formats/text/mapping.js';
import { OxherdError } from '../model/error.js';
import {
  type AgeKeyPlaces,
  defaultAgeKeyFile,
  findAgeIdentities,
  newAgeKeyFile,
  recipientsFor,
} from './age-keys.js';
import type { RandomBytes } from './certificates.js';
import { secretsFromMachineConfig } from './from-machine-config.js';
import { generateSecrets } from './generate.js';
import type { SecretsPlace } from './locate.js';
import { readIfThere, writeNewPrivateFile } from './private-file.js';
import { readSecretYaml } from './secret-yaml.js';
import { decryptSops, encryptSops, isSopsText } from './sops/file.js';
import {
  checkTalosSecrets,
  formatTalosSecrets,
  parseTalosSecrets,
  type TalosSecrets,
} from './talos-secrets.js';

export interface SecretsEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: string;
  readonly now: Date;
  readonly random: RandomBytes;
}

/** The machine's own keys, clock and randomness. */
export function systemEnvironment(env: SecretsEnvironment['env']): SecretsEnvironment {
  return {
    env,
    home: env.HOME ?? homedir(),
    platform: platform(),
    now: new Date(),
    random: (length) => randomBytes(length),
  };
}

export interface LoadedSecrets {
  readonly secrets: TalosSecrets;
  readonly path: string;
  /** `false`: the file is plain text; worth a notice outside of the lab. */
  readonly encrypted: boolean;
}

/** `undefined` where there is no secrets file; an unreadable one is an error. */
export async function loadSecrets(
  place: SecretsPlace,
  environment: SecretsEnvironment,
): Promise<LoadedSecrets | undefined> {
  for (const path of [place.path, place.alternative]) {
    const text = path === undefined ? undefined : await readIfThere(path);
    if (path !== undefined && text !== undefined)
      return { ...(await readSecretsText(text, path, environment)), path };
  }
  return undefined;
}

export async function readSecretsText(
  text: string,
  where: string,
  environment: SecretsEnvironment,
): Promise<Omit<LoadedSecrets, 'path'>> {
  if (!isSopsText(text)) {
    const isMachineConfig = /^machine:/m.test(text);
    const secrets = isMachineConfig ? secretsFromMachineConfig(text, where) : parseTalosSecrets(text, where);
    return { secrets, encrypted: false };
  }
  const identities = await findAgeIdentities(agePlaces(environment));
  const plain = await decryptSops(text, identities, where);
  return { secrets: checkTalosSecrets(plain, where), encrypted: true };
}

/** Any SOPS file, decrypted; a plain YAML file as it is. */
export async function readSopsTree(
  text: string,
  where: string,
  environment: SecretsEnvironment,
): Promise<unknown> {
  if (!isSopsText(text)) {
    return readSecretYaml(
      text,
      (place) => new OxherdError('secret.unreadable', `${where} is not YAML at ${place}`, { where }),
    );
  }
  return decryptSops(text, await findAgeIdentities(agePlaces(environment)), where);
}

interface StoredSecrets extends LoadedSecrets {
  /** Whether an age key was made on the way, and where. */
  readonly newAgeKeyFile?: string;
}

/** Writes a new file; never replaces one. Makes an age key where encryption needs one and there is none. */
export async function storeSecrets(
  secrets: TalosSecrets,
  place: SecretsPlace,
  environment: SecretsEnvironment,
): Promise<StoredSecrets> {
  const { path } = place;
  await refuseExisting(place);
  if (!place.encrypted) {
    await writeNewPrivateFile(path, formatTalosSecrets(secrets));
    return { secrets, path, encrypted: false };
  }
  const { recipients, madeAt } = await ensureRecipients(environment);
  const { now, random } = environment;
  // Through YAML once, so that keys and their order are those of the plain file.
  const tree = readSecretYaml(formatTalosSecrets(secrets), () => new TypeError('secrets are YAML'));
  await writeNewPrivateFile(
    path,
    await encryptSops(isMapping(tree) ? tree : {}, { recipients, now, random }),
  );
  return { secrets, path, encrypted: true, ...(madeAt !== undefined && { newAgeKeyFile: madeAt }) };
}

/** Asked before long work is done for nothing; the write itself refuses as well. */
export async function refuseExisting(place: SecretsPlace): Promise<void> {
  for (const existing of [place.path, place.alternative]) {
    if (existing !== undefined && (await readIfThere(existing)) !== undefined) throw alreadyThere(existing);
  }
}

/** The secrets that are there, or new ones. */
export async function ensureSecrets(
  place: SecretsPlace,
  environment: SecretsEnvironment,
): Promise<StoredSecrets & { readonly created: boolean }> {
  const loaded = await loadSecrets(place, environment);
  if (loaded) return { ...loaded, created: false };
  const secrets = await generateSecrets(environment);
  return { ...(await storeSecrets(secrets, place, environment)), created: true };
}

/** Who can open what is encrypted here; makes a key where no one could, and says where it is. */
export async function ensureRecipients(
  environment: SecretsEnvironment,
): Promise<{ recipients: readonly string[]; madeAt?: string }> {
  const identities = await findAgeIdentities(agePlaces(environment));
  const recipients = await recipientsFor(environment.env, identities);
  if (recipients.length > 0) return { recipients };
  const made = await newAgeKeyFile(environment.now);
  const path = environment.env.SOPS_AGE_KEY_FILE ?? defaultAgeKeyFile(environment);
  await writeNewPrivateFile(path, made.text);
  return { recipients: [made.recipient], madeAt: path };
}

function agePlaces(environment: SecretsEnvironment): AgeKeyPlaces {
  return { ...environment, readFile: readIfThere };
}

function alreadyThere(path: string): OxherdError {
  return new OxherdError('secrets.exists', `there are secrets already: ${path}`, {
    where: path,
    advice:
      'They are never overwritten: without them a running cluster cannot be managed. Move the file elsewhere to create new ones.',
  });
}
