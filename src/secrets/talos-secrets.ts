/** The secrets of one Talos cluster, in the shape of `talosctl gen secrets`. */

import { stringify } from 'yaml';
import { z } from 'zod';
import { hashParts } from '../formats/text/hash.js';
import { issueText } from '../formats/text/issue-text.js';
import { OxherdError } from '../model/error.js';
import { readSecretYaml } from './secret-yaml.js';
import { inTalosctlSpelling } from './spellings.js';

const token = z
  .string()
  .regex(/^[a-z0-9]{6}\.[a-z0-9]{16}$/, 'is not a token of the form abcdef.0123456789abcdef');
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/, 'is not base64');
const keyPair = z.object({ crt: base64, key: base64 });

const schema = z.object({
  cluster: z.object({
    // 32 bytes; Talos before 1.14 wrote the URL alphabet.
    id: z.string().regex(/^[A-Za-z0-9+/_-]{43}=$/, 'is not base64 of 32 bytes'),
    secret: z.string().regex(/^[A-Za-z0-9+/_-]{43}=$/, 'is not base64 of 32 bytes'),
  }),
  secrets: z
    .object({
      bootstraptoken: token,
      secretboxencryptionsecret: base64.optional(),
      aescbcencryptionsecret: base64.optional(),
    })
    .refine((s) => s.secretboxencryptionsecret !== undefined || s.aescbcencryptionsecret !== undefined, {
      message: 'needs secretboxencryptionsecret or aescbcencryptionsecret',
    }),
  trustdinfo: z.object({ token }),
  certs: z.object({
    etcd: keyPair,
    k8s: keyPair,
    k8saggregator: keyPair,
    k8sserviceaccount: z.object({ key: base64 }),
    os: keyPair,
  }),
});

/** Certificate and key, each base64 of a PEM block. */
export interface KeyPair {
  readonly crt: string;
  readonly key: string;
}

export interface TalosSecrets {
  readonly cluster: { readonly id: string; readonly secret: string };
  readonly secrets: {
    readonly bootstraptoken: string;
    readonly secretboxencryptionsecret?: string | undefined;
    readonly aescbcencryptionsecret?: string | undefined;
  };
  readonly trustdinfo: { readonly token: string };
  readonly certs: {
    readonly etcd: KeyPair;
    readonly k8s: KeyPair;
    readonly k8saggregator: KeyPair;
    readonly k8sserviceaccount: { readonly key: string };
    readonly os: KeyPair;
  };
}

/** Reads what `talosctl gen secrets`, talhelper or the Terraform module wrote. `where` names the file in messages; values never appear in them. */
export function parseTalosSecrets(text: string, where: string): TalosSecrets {
  const value = readSecretYaml(text, (place) => invalid(where, `the file is not YAML at ${place}`));
  return checkTalosSecrets(value, where);
}

export function checkTalosSecrets(value: unknown, where: string): TalosSecrets {
  const result = schema.safeParse(inTalosctlSpelling(value));
  if (result.success) return result.data;
  throw invalid(where, result.error.issues.map((issue) => issueText(issue)).join('; '));
}

function invalid(where: string, problem: string): OxherdError {
  return new OxherdError('secrets.invalid', `${where} holds no Talos secrets: ${problem}`, {
    where,
    advice:
      'Restore the file, or import secrets with `oxherd secrets import FILE`: of `talosctl gen secrets`, talhelper (talsecret.sops.yaml) or the Terraform module (output/talos-machine-secrets.yaml).',
  });
}

export function formatTalosSecrets(secrets: TalosSecrets): string {
  return stringify(secrets, { compat: 'yaml-1.1', indent: 4, lineWidth: 0 });
}

/**
 * Says whose secrets these are without giving any away: the cluster's id and the public certificates.
 * Written into the descriptions of VMs, so that no data meets the secrets of another cluster.
 */
export function secretsFingerprint(secrets: TalosSecrets): string {
  const { etcd, k8s, k8saggregator, os } = secrets.certs;
  return hashParts(['secrets', secrets.cluster.id, os.crt, k8s.crt, k8saggregator.crt, etcd.crt]).slice(
    0,
    32,
  );
}
