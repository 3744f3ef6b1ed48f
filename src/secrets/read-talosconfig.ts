/** What a talosconfig says of how a cluster is reached, and as whom. */
import { z } from 'zod';
import { OxherdError } from '../model/error.js';
import { fromBase64Pem } from './pem.js';
import { readSecretYaml } from './secret-yaml.js';

export interface TalosconfigContext {
  readonly endpoints: readonly string[];
  /** PEM. */
  readonly credentials: { readonly ca: string; readonly certificate: string; readonly key: string };
}

const schema = z.object({
  context: z.string(),
  contexts: z.record(
    z.string(),
    z.object({
      endpoints: z.array(z.string()).nullish(),
      ca: z.string(),
      crt: z.string(),
      key: z.string(),
    }),
  ),
});

/** The context that the file has chosen. */
export function readTalosconfig(text: string, where: string): TalosconfigContext {
  const read = schema.safeParse(readSecretYaml(text, (place) => noTalosconfig(where, ` (${place})`)));
  const context = read.success ? read.data.contexts[read.data.context] : undefined;
  if (!context) throw noTalosconfig(where);
  const { endpoints, ca, crt, key } = context;
  return {
    endpoints: endpoints ?? [],
    credentials: { ca: fromBase64Pem(ca), certificate: fromBase64Pem(crt), key: fromBase64Pem(key) },
  };
}

function noTalosconfig(where: string, place = ''): OxherdError {
  return new OxherdError(
    'secrets.talosconfig',
    `${where} is no talosconfig with a context of its own${place}`,
    {
      where,
      advice: 'name one that `talosctl` works with: --talosconfig FILE',
    },
  );
}
