/** Ways of change that a layout does not have. */
import type { Check } from './check.js';

export const upgradeWay: Check = {
  needs: ['policy', 'nodes', 'defaults'],
  run({ config: { nodes, policy }, report }) {
    const single = nodes.find((node) => node.layout === 'single');
    if (policy.upgrade !== 'replace' || !single) return;
    report.error({
      code: 'policy.upgrade',
      path: ['policy', 'upgrade'],
      message: `\`${single.name}\` has its data on the OS disk, so it cannot be upgraded by a new one`,
      hint: 'write `upgrade: in-place`, or use the layout `data-vm`',
    });
  },
};
