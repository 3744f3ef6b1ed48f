/** What a talosconfig says of how a cluster is reached, and as whom. */
import { z } from 'zod';
import { isMapping, type Mapping, ownValue } from '../formats/text/mapping.js';
import { OxherdError } from '../model/error.js';
import { fromBase64Pem } from './pem.js';
import { readSecretYaml } from './secret-yaml.js';

export interface TalosconfigContext {
  readonly endpoints: readonly string[];
  /** PEM. */
  readonly credentials: { readonly ca: string; readonly certificate: string; readonly key: string };
}

/** The other contexts may have other means to log in, such as those of Omni. */
const fileSchema = z.object({ context: z.string(), contexts: z.custom<Mapping>(isMapping) });
const contextSchema = z.object({
  endpoints: z.array(z.string()).nullish(),
  ca: z.string(),
  crt: z.string(),
  key: z.string(),
});

/** The context that the file has chosen. */
export function readTalosconfig(text: string, where: string): TalosconfigContext {
  const file = fileSchema.safeParse(readSecretYaml(text, (place) => noTalosconfig(where, ` (${place})`)));
  if (!file.success) throw noTalosconfig(where);
  const context = contextSchema.safeParse(ownValue(file.data.contexts, file.data.context));
  if (!context.success) throw noTalosconfig(where);
  const { endpoints, ca, crt, key } = context.data;
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
