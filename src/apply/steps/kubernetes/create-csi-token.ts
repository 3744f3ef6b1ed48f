import { DEPLOYMENTS, SECRETS } from '../../../clients/kubernetes/resources.js';
import { isProxmoxError } from '../../../clients/proxmox/errors.js';
import {
  type CsiAccessDesign,
  csiSecret,
  csiTokenIn,
  REPLACING_TOKEN,
} from '../../../design/kubernetes/csi.js';
import { CSI_CONTROLLER, CSI_NAMESPACE, CSI_SECRET } from '../../../design/kubernetes/csi-driver.js';
import { APPLIED } from '../../../design/kubernetes/managed-object.js';
import { hashParts } from '../../../formats/text/hash.js';
import { ownKey } from '../../../model/publisher.js';
import { needCluster, whenApiAnswers } from '../../support/cluster-wait.js';
import { ALREADY, type ClusterAccess, DONE, type Executor, type StepContext } from '../../support/context.js';
import { put } from '../../support/put-object.js';
import { StepError } from '../../support/read-vm.js';

/**
 * Proxmox shows a token's secret once. It is written to the cluster's Secret and kept nowhere else. The Secret is marked
 * before the old token ends and until the controller uses the new one: whatever a cut in between leaves, the mark is an
 * open step of the next plan, which replaces the token once more.
 */
export const createCsiToken: Executor<'create-csi-token'> = async (step, context) => {
  const cluster = needCluster(context);
  const { csi } = cluster.design;
  if (!csi || csi.hash !== step.hash) {
    throw new StepError('apply.object-changed', "the CSI driver's access is not what was planned", {
      advice: 'oxherd.yaml changed since the plan was created; run plan again',
    });
  }
  const has = await whenApiAnswers(context, 'the CSI secret', () => readSecret(cluster));
  const exists = await tokenExists(context, csi);
  const keeps =
    has?.tokenId === `${csi.user}!${csi.tokenId}` && exists && !step.rotate && has.hash !== REPLACING_TOKEN;
  if (keeps && has.hash === csi.hash) return ALREADY;
  const write = (secret: string, state: 'replacing' | 'complete') =>
    whenApiAnswers(context, 'the CSI secret', () => put(cluster, csiSecret(csi, secret, state)));
  if (has && !keeps) await write(has.secret, 'replacing');
  const secret = keeps ? has.secret : await newToken(context, csi, exists);
  await write(secret, 'replacing');
  await whenApiAnswers(context, 'the CSI driver', () => restartController(cluster, secret));
  await write(secret, 'complete');
  return DONE;
};

/** It reads its config at start only; another hash in the template rolls it. */
async function restartController({ client }: ClusterAccess, secret: string): Promise<void> {
  const controller = await client.get(DEPLOYMENTS, CSI_CONTROLLER, CSI_NAMESPACE);
  if (!controller) return;
  const annotations = { [ownKey('token')]: hashParts(['csi-token', secret]).slice(0, 12) };
  const patch = { spec: { template: { metadata: { annotations } } } };
  await client.patch(DEPLOYMENTS, CSI_CONTROLLER, patch, { kind: 'merge', namespace: CSI_NAMESPACE });
}

async function readSecret({ client }: ClusterAccess) {
  const secret = await client.get(SECRETS, CSI_SECRET, CSI_NAMESPACE);
  return secret && { ...csiTokenIn(secret.data ?? {}), hash: secret.metadata?.annotations?.[APPLIED] };
}

async function tokenExists({ client }: StepContext, csi: CsiAccessDesign): Promise<boolean> {
  return (await client.tokens(csi.user)).some((token) => token.tokenid === csi.tokenId);
}

/** Its rights go with an old token, so they are granted again. */
async function newToken({ client }: StepContext, csi: CsiAccessDesign, exists: boolean): Promise<string> {
  if (exists) {
    await client.deleteToken(csi.user, csi.tokenId).catch((error: unknown) => {
      if (!isProxmoxError(error, 'proxmox.not-found')) throw error;
    });
  }
  const { secret, fullTokenId } = await client.createToken(csi.user, csi.tokenId, {
    comment: 'Proxmox CSI driver',
    privilegeSeparation: true,
  });
  for (const { path, role, propagate } of csi.grants) {
    await client.grant({ path, roles: [role], tokens: [fullTokenId], propagate });
  }
  return secret;
}
