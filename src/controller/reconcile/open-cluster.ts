/** A session for one cluster of the fleet: files, credentials and fence put together. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SECRETS } from '../../clients/kubernetes/index.js';
import { OxherdError } from '../../model/error.js';
import { readFleetConfig } from '../../session/config/fleet-config.js';
import type { Fence, SecretsText } from '../../session/context.js';
import { openSession, type Session, type SessionOptions } from '../../session/index.js';
import { newSecretsText } from '../../session/secrets/new-secrets.js';
import { readSite as readProxmox } from '../../session/session.js';
import { GROUP, MANAGED_BY, SITES } from '../api/group.js';
import { type ClusterSpec, type Named, readSite, type SiteSpec } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import {
  clusterFolder,
  clusterSecretsText,
  generatedSecretsName,
  sessionEnvironment,
  TOKEN_VARIABLE,
  writeSource,
} from './source.js';

/** Everything a session of the cluster is opened with. */
export interface ClusterAccess {
  readonly loaded: ReturnType<typeof readFleetConfig>;
  readonly env: Record<string, string>;
  readonly secrets: SecretsText | undefined;
  readonly site: Named<SiteSpec>;
  readonly folder: string;
}

async function siteOf(context: ControllerContext, cluster: Named<ClusterSpec>): Promise<Named<SiteSpec>> {
  const { name } = cluster.spec.siteRef;
  const found = await context.client.get(SITES, name);
  if (!found)
    throw new OxherdError('fleet.missing', `there is no ProxmoxSite ${name}`, {
      advice: 'create it, or correct spec.siteRef',
    });
  const site = readSite(found);
  const { allowedNamespaces } = site.spec;
  if (allowedNamespaces.includes('*') || allowedNamespaces.includes(cluster.namespace)) return site;
  throw new OxherdError(
    'fleet.namespace',
    `namespace ${cluster.namespace} may not use the ProxmoxSite ${name}`,
    {
      advice: 'add it to spec.allowedNamespaces of the site',
    },
  );
}

/** Throws where something is missing or the config is not valid; nothing is asked of Proxmox. */
export async function prepareAccess(
  context: ControllerContext,
  cluster: Named<ClusterSpec>,
): Promise<ClusterAccess> {
  const site = await siteOf(context, cluster);
  const { folder, path } = await writeSource(context, cluster);
  const home = clusterFolder(context, cluster.namespace, cluster.name);
  const { ca, fingerprint, endpoints } = site.spec;
  const caFile = join(home, 'site-ca.pem');
  if (ca !== undefined) writeFileSync(caFile, ca, { mode: 0o600 });
  const loaded = readFleetConfig(folder, path, {
    endpoints,
    tokenVariable: TOKEN_VARIABLE,
    ...(ca !== undefined && { caFile }),
    ...(fingerprint !== undefined && { fingerprint }),
  });
  return {
    loaded,
    env: await sessionEnvironment(context, cluster, site.spec),
    secrets: await clusterSecretsText(context, cluster),
    site,
    folder: home,
  };
}

interface OpenOptions {
  readonly fence?: Fence;
  readonly signal?: AbortSignal;
}

export function openCluster(
  context: ControllerContext,
  access: ClusterAccess,
  options: OpenOptions = {},
): Promise<Session> {
  const { loaded } = access;
  return openSession(loaded, context.targetFor(loaded), sessionOptions(context, access, options));
}

/** Hosts and guests of the cluster's Proxmox, by one request. */
export function readSiteResources(context: ControllerContext, access: ClusterAccess) {
  const { loaded } = access;
  return readProxmox(loaded, context.targetFor(loaded), sessionOptions(context, access, {}));
}

function sessionOptions(
  context: ControllerContext,
  { env, secrets, folder, site }: ClusterAccess,
  { fence, signal }: OpenOptions,
): SessionOptions {
  return {
    cwd: folder,
    env,
    signal: signal ?? context.signal,
    tell: ({ kind, message }) => {
      if (kind === 'debug') context.debug?.(message);
    },
    clientFiles: false,
    readOnly: fence === undefined,
    ...(secrets && { secrets }),
    ...(fence && { fence }),
    ...(context.sites && { traffic: context.sites.trafficOf(site, fence !== undefined) }),
  };
}

/** The controller runs in this very cluster. */
export function runsIn({ authority }: ControllerContext, { kubernetesAuthority }: Session): boolean {
  return kubernetesAuthority !== undefined && authority === kubernetesAuthority.trim();
}

/** Before the first apply: kept in the API before any machine is told of them. Another replica may have been faster. */
export async function createSecrets(
  context: ControllerContext,
  cluster: Named<ClusterSpec>,
): Promise<SecretsText | undefined> {
  const { namespace, name, uid } = cluster;
  const secret = {
    apiVersion: 'v1' as const,
    kind: 'Secret' as const,
    metadata: {
      name: generatedSecretsName(name),
      namespace,
      labels: MANAGED_BY,
      // No owner: whoever deletes the cluster's object keeps the keys of machines that stay.
      annotations: { [`${GROUP}/cluster-uid`]: uid },
    },
    data: { 'secrets.yaml': Buffer.from(await newSecretsText()).toString('base64') },
  };
  await context.client.create(SECRETS, secret, namespace).catch((error: unknown) => {
    if (OxherdError.from(error).code !== 'kubernetes.already-exists') throw error;
  });
  return clusterSecretsText(context, cluster);
}
