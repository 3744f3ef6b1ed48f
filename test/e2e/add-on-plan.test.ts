/** In which order the add-ons of a new cluster come: the network, nodes that are Ready, operators, then their objects. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CliFolder } from '../support/cli.js';
import { EXAMPLES } from '../support/examples.js';

interface Step {
  readonly id: string;
  readonly kind: string;
  readonly needs: readonly string[];
  readonly object?: { readonly kind: string };
}

it('Flux and load balancer objects wait for Ready nodes, sources for Flux, and all of it is waited for', async () => {
  const folder = CliFolder.make();
  try {
    cpSync(join(EXAMPLES, 'gitops'), folder.path, { recursive: true });
    const token = 'a-token-that-must-not-show';
    const { stdout } = await folder.run(['--lab', 'plan', '--json'], { env: { OXHERD_GIT_TOKEN: token } });
    expect(stdout).not.toContain(token);
    const { steps }: { steps: readonly Step[] } = JSON.parse(stdout);
    const one = (kind: string) =>
      steps.find((step) => step.kind === kind || step.object?.kind === kind) ?? expect.fail(kind);
    const nodes = one('await-nodes');
    const engine = one('install-gitops');
    expect(nodes.needs).toContain(one('install-cilium').id);
    expect(engine.needs).toContain(nodes.id);
    expect(one('CiliumLoadBalancerIPPool').needs).toContain(nodes.id);
    for (const kind of ['Secret', 'GitRepository', 'Kustomization']) {
      expect(one(kind).needs).toContain(engine.id);
      expect(one('await-gitops').needs).toContain(one(kind).id);
    }
  } finally {
    folder.remove();
  }
});
