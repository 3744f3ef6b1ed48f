/**
 * The Proxmox of a pipeline. Whoever edits `oxherd.yaml` chooses `proxmox.endpoint`, its trust and its token, and so where the
 * token is sent; variables that the pipeline protects replace all of them.
 */
import type { Config } from '../config/config.js';
import { fingerprint, httpsOrigin } from '../config/schema/values.js';
import { OxherdError } from '../model/error.js';

const ENDPOINT = 'OXHERD_PROXMOX_ENDPOINT';
const FINGERPRINT = 'OXHERD_PROXMOX_FINGERPRINT';
const CA = 'OXHERD_PROXMOX_CA';
const TOKEN = 'OXHERD_PROXMOX_TOKEN';

type Env = Readonly<Record<string, string | undefined>>;

/** The config with the protected endpoint, trust and token, if the environment has an endpoint. */
export function withProtectedProxmox(config: Config, env: Env): Config {
  const given = env[ENDPOINT];
  if (!given) {
    const alone = [FINGERPRINT, CA].find((name) => env[name]);
    if (alone === undefined) return config;
    throw wrong(`${alone} is set without ${ENDPOINT}`, `set ${ENDPOINT} too, or unset ${alone}`);
  }
  const endpoints = given.split(',').map((one) => endpointOf(one.trim()));
  // Nothing of the config's own connection stays: a fingerprint or `insecure` of it would decide who gets the token.
  const { fingerprints: _, ...proxmox } = config.proxmox;
  return {
    ...config,
    proxmox: { ...proxmox, endpoints, tls: trustOf(env), token: { kind: 'env', name: TOKEN } },
  };
}

function trustOf(env: Env): Config['proxmox']['tls'] {
  const sha256 = env[FINGERPRINT];
  const path = env[CA];
  if (sha256 && path) throw wrong(`${FINGERPRINT} and ${CA} are both set`, 'keep one of them');
  // A relative path would be read beside the config, and so belong to whoever edits it.
  if (path && !path.startsWith('/')) throw wrong(`${CA} is not an absolute path`, 'give the path from / on');
  if (path) return { kind: 'ca', path };
  if (!sha256) return { kind: 'system' };
  const parsed = fingerprint.safeParse(sha256);
  if (parsed.success) return { kind: 'fingerprint', sha256: parsed.data };
  throw wrong(
    `${FINGERPRINT} is not a SHA-256 fingerprint`,
    'write it as Proxmox shows it: AB:CD:… (32 bytes)',
  );
}

function endpointOf(text: string): string {
  const parsed = httpsOrigin(8006, 'https://pve1.lan:8006').safeParse(text);
  if (parsed.success) return parsed.data;
  throw wrong(
    `${ENDPOINT} is not an https address without a path`,
    `for example ${ENDPOINT}=https://pve1.lan:8006; separate several by commas`,
  );
}

function wrong(message: string, advice: string): OxherdError {
  return new OxherdError('cli.protected-proxmox', message, { advice });
}
