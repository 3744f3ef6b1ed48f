/** A config that others wrote and this process only carries out: it reads nothing of this computer. */
import type { Config } from '../../config/config.js';
import { isMapping } from '../../formats/text/mapping.js';
import type { LoadedConfig } from '../connect/site.js';
import { readConfigFile } from './config-file.js';
import { isOutside, outside } from './read-config.js';

/** Where the Proxmox is and how it is trusted, in place of what the config says. */
interface SiteAccess {
  readonly endpoints: readonly string[];
  /** PEM file. */
  readonly caFile?: string;
  readonly fingerprint?: string;
  /** Environment variable of the session that has the token. */
  readonly tokenVariable: string;
}

/** Throws where the config has errors, or names a file outside of its folder. */
export function readFleetConfig(folder: string, path: string, site: SiteAccess): LoadedConfig {
  const { config, directory } = readConfigFile(path, folder, { confined: true });
  for (const file of secretFiles({ ...config, proxmox: {} })) if (isOutside(file)) throw outside(file);
  return { config: { ...config, proxmox: proxmoxOf(config, site) }, directory };
}

function proxmoxOf({ proxmox }: Config, site: SiteAccess): Config['proxmox'] {
  const { fingerprints: _, ...kept } = proxmox;
  return {
    ...kept,
    endpoints: site.endpoints,
    token: { kind: 'env', name: site.tokenVariable },
    tls:
      site.fingerprint !== undefined
        ? { kind: 'fingerprint', sha256: site.fingerprint }
        : site.caFile !== undefined
          ? { kind: 'ca', path: site.caFile }
          : { kind: 'system' },
  };
}

/** Paths of all secrets that are named by file, wherever the config has one. */
function secretFiles(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => secretFiles(item));
  if (!isMapping(value)) return [];
  const { kind, path } = value;
  const own =
    typeof path === 'string' && (kind === 'file' || kind === 'sops' || kind === 'tfvars') ? [path] : [];
  return [...own, ...Object.values(value).flatMap((item) => secretFiles(item))];
}
