/** A new token for the CSI driver; the old one ends at once. */
import { OxherdError } from '../../model/error.js';
import { makePlan } from '../../plan/make-plan.js';
import { StepList } from '../../plan/step-list.js';
import { withSite } from '../../session/connect/site.js';
import { carryOut } from '../../session/execute/carry-out.js';
import { look } from '../../session/plan/prepare-plan.js';
import type { CliContext, ExitCode } from '../context.js';

export async function run(context: CliContext): Promise<ExitCode> {
  return withSite(context, async (site) => {
    const { design, observed, kubernetes } = await look(site, { machines: true });
    const { csi } = kubernetes;
    if (!csi) {
      throw new OxherdError('secrets.no-csi', 'this cluster has no CSI driver', {
        advice: 'set `kubernetes.csi: true`',
      });
    }
    const id = `${csi.user}!${csi.tokenId}`;
    const list = new StepList();
    list.add(id, {
      kind: 'create-csi-token',
      title: `give the CSI driver a new token ${id}`,
      reasons: [
        csi.driver === 'built-in'
          ? 'requested; its controller is restarted to read it'
          : 'requested; restart its pods afterwards, so that they read it',
      ],
      impact: 'live',
      user: csi.user,
      tokenId: csi.tokenId,
      hash: csi.hash,
      rotate: true,
    });
    const plan = makePlan(design, observed, list);
    return carryOut(context, site, { plan, design, kubernetes }, 'oxherd secrets rotate-csi');
  });
}
