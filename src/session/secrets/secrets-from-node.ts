/** The secrets of a running cluster, asked of a control plane with a talosconfig that is still valid. */
import { join, resolve } from 'node:path';
import { talosAccess } from '../../clients/talos/access.js';
import { RESOURCES } from '../../clients/talos/resources.js';
import { OxherdError } from '../../model/error.js';
import { secretsFromMachineConfig } from '../../secrets/from-machine-config.js';
import { clientFilesFolder } from '../../secrets/locate.js';
import { readIfThere } from '../../secrets/private-file.js';
import { readTalosconfig, type TalosconfigContext } from '../../secrets/read-talosconfig.js';
import type { TalosSecrets } from '../../secrets/talos-secrets.js';
import { type LoadedConfig, type Site, withSite } from '../connect/site.js';
import { filesOf, type SessionContext } from '../context.js';

interface NodeToAsk {
  /** Absent: the endpoints of the talosconfig, one after the other. */
  readonly address?: string;
  /** Absent: `$TALOSCONFIG`, or the one of the cluster below `.oxherd`. */
  readonly talosconfig?: string;
}

export async function secretsFromNode(
  context: SessionContext,
  loaded: LoadedConfig,
  asked: NodeToAsk,
): Promise<TalosSecrets> {
  return withSite(context, loaded, async (site) => {
    const { endpoints, credentials } = await talosconfigOf(context, site, asked.talosconfig);
    const talos = await talosAccess({
      clock: site.clock,
      credentials,
      ...(site.dial && { dial: site.dial }),
    });
    const addresses = asked.address !== undefined ? [asked.address] : endpoints;
    const failures: string[] = [];
    try {
      for (const address of addresses) {
        try {
          const config = (await talos.admin(address)?.get(RESOURCES.machineConfig, 'v1alpha1'))?.spec;
          if (typeof config === 'string') return secretsFromMachineConfig(config, address);
          failures.push(`${address}: it has no config`);
        } catch (error) {
          failures.push(`${address}: ${OxherdError.from(error).message}`);
        }
      }
    } finally {
      talos.close();
    }
    throw new OxherdError(
      'secrets.no-node',
      `no control plane gave its config (${failures.join('; ') || 'the talosconfig names no endpoint'})`,
      {
        advice:
          'name one that answers with --from-node ADDRESS; reading a config needs a talosconfig of an administrator (os:admin)',
      },
    );
  });
}

async function talosconfigOf(
  context: SessionContext,
  { config }: Site,
  given: string | undefined,
): Promise<TalosconfigContext> {
  const { cwd, env } = context;
  const own = join(clientFilesFolder(filesOf(context), config.cluster), 'talosconfig');
  const path = resolve(cwd, given ?? (env.TALOSCONFIG || own));
  const text = await readIfThere(path);
  if (text !== undefined) return readTalosconfig(text, path);
  throw new OxherdError('secrets.no-talosconfig', `there is no ${path}`, {
    where: path,
    advice: 'name a talosconfig of this cluster: --talosconfig FILE',
  });
}
