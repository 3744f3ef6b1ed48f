/** The CSI driver's access to Proxmox: a token that is made once and kept in the cluster's secret alone. */
import { type CsiAccessDesign, REPLACING_TOKEN } from '../../../design/kubernetes/csi.js';
import { findIn } from '../../../observe/observed-lists.js';
import { driftOf } from '../../drift/drift-authors.js';
import { mayDo } from '../../input.js';
import type { Planned } from '../../planned.js';
import { type AppliedObjects, type KubernetesDraft, type KubernetesPlan, part } from '../kubernetes-part.js';

/** Its step, if there is one. */
export function planCsiToken(given: KubernetesPlan, applied: AppliedObjects): Planned<string | undefined> {
  return part(given, (plan) => createToken(plan, applied));
}

function createToken(plan: KubernetesDraft, applied: AppliedObjects): string | undefined {
  const { context, design, api } = plan;
  const { csi } = design;
  const reason = csi && whyMake(plan, csi);
  if (!csi || reason === undefined) return undefined;
  const id = `${csi.user}!${csi.tokenId}`;
  if (!mayDo(context.observed, '/access/groups', 'User.Modify')) {
    context.notes.push({
      code: 'not-permitted',
      message: `the API token cannot create token ${id}; create it as admin and store it in Secret csi-proxmox/proxmox-csi-plugin`,
    });
    return undefined;
  }
  const before = context.list.steps.filter(
    (step) => step.kind === 'set-role' || step.kind === 'create-user' || step.kind === 'create-pool',
  );
  return context.list.add(id, {
    kind: 'create-csi-token',
    title: `create the CSI driver token ${id}`,
    reasons: [reason],
    // The token is there, so it had its secret once.
    ...driftOf([[reason, reason === NO_SECRET && hasToken(plan, id) ? 'hand' : undefined]]),
    impact: 'none',
    needs: [api, applied.get('v1 Namespace csi-proxmox'), ...before.map((step) => step.id)],
    user: csi.user,
    tokenId: csi.tokenId,
    hash: csi.hash,
    rotate: false,
  });
}

const NO_SECRET = 'its Secret is missing';

function hasToken({ context }: KubernetesPlan, id: string): boolean {
  return findIn(context.observed.access.tokens, id).state === 'present';
}

function whyMake({ context, there }: KubernetesDraft, csi: CsiAccessDesign): string | undefined {
  if (!there) return 'the cluster may have none';
  const secret = there.csiSecret;
  const id = `${csi.user}!${csi.tokenId}`;
  const token = findIn(context.observed.access.tokens, id);
  if (!secret.known || token.state === 'unread') {
    const why = !secret.known ? secret.why : token.state === 'unread' ? token.why : '';
    context.notes.push({
      code: 'unknown',
      message: `whether the CSI driver has its token is not known: ${why}`,
    });
    return undefined;
  }
  if (!secret.value) return NO_SECRET;
  if (secret.value.tokenId !== id) return `the secret names the token ${secret.value.tokenId}`;
  if (token.state === 'absent') return 'Proxmox no longer has the token of the Secret';
  if (secret.value.hash === REPLACING_TOKEN) return 'an interrupted run has left its token half replaced';
  if (secret.value.hash !== csi.hash) return "Proxmox's address, region or trust has changed";
  return undefined;
}
