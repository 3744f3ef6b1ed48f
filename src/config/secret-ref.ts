/**
 * Where a secret is: `env:NAME`, `file:PATH` or `sops:PATH#key.path`. The secret itself is never in oxherd.yaml.
 * `tfvars:PATH#variable` is for those who come from Terraform and keep the variable file for a while.
 */
import { redactSource } from '../formats/redact/redact-text.js';
import type { SecretRef } from './config-values.js';

export const SECRET_FORMS = 'env:NAME, file:PATH or sops:PATH#key.path';

export function parseSecretRef(text: string): SecretRef | undefined {
  const env = /^env:([A-Za-z_][A-Za-z0-9_]*)$/.exec(text);
  if (env?.[1]) return { kind: 'env', name: env[1] };
  const file = /^file:(\S.*)$/.exec(text);
  if (file?.[1]) return { kind: 'file', path: file[1] };
  const sops = /^sops:([^#]*[^#\s])#([^#\s]+)$/.exec(text);
  if (sops?.[1] && sops[2]) {
    const key = sops[2].split('.');
    if (key.every((step) => step !== '')) return { kind: 'sops', path: sops[1], key };
  }
  const tfvars = /^tfvars:([^#]*\.tfvars(?:\.json)?)#([A-Za-z_][A-Za-z0-9_-]*)$/.exec(text);
  if (tfvars?.[1] && tfvars[2]) return { kind: 'tfvars', path: tfvars[1], variable: tfvars[2] };
  return undefined;
}

/** Lines of a config for code frames; where a secret is may be shown, the secret itself may not. */
export function redactConfigSource(text: string): string {
  return redactSource(text, (value) => parseSecretRef(value) !== undefined);
}

export function formatSecretRef(ref: SecretRef): string {
  switch (ref.kind) {
    case 'env':
      return `env:${ref.name}`;
    case 'file':
      return `file:${ref.path}`;
    case 'sops':
      return `sops:${ref.path}#${ref.key.join('.')}`;
    case 'tfvars':
      return `tfvars:${ref.path}#${ref.variable}`;
  }
}
