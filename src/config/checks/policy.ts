/** Ways of change that a layout does not have, and gates that do not exist. */
import { READY_GATES } from '../resolve/gates.js';
import type { Check } from './check.js';

export const upgradeWay: Check = {
  needs: ['policy', 'nodes', 'defaults'],
  run({ config: { nodes, policy }, report }) {
    const single = nodes.find((node) => node.layout === 'single');
    if (policy.upgrade !== 'replace' || !single) return;
    report.error({
      code: 'policy.upgrade',
      path: ['policy', 'upgrade'],
      message: `\`${single.name}\` has its data on the system disk, so it cannot be upgraded by replacing it`,
      hint: 'write `upgrade: in-place`, or use the layout `data-vm`',
    });
  },
};

export const readyGates: Check = {
  needs: ['policy'],
  run({ file, report }) {
    for (const [name, gate] of Object.entries(file.policy?.gates ?? {})) {
      const isWhole =
        typeof gate === 'object' && gate.resource !== undefined && gate.expression !== undefined;
      if (isWhole || Object.hasOwn(READY_GATES, name)) continue;
      const lacks = typeof gate === 'object' && (gate.resource === undefined ? 'resource' : 'expression');
      report.error({
        code: 'policy.gate',
        path: ['policy', 'gates', name],
        message: lacks
          ? `gate \`${name}\` has no \`${lacks}\`, and it is not built in`
          : `there is no built-in gate \`${name}\``,
        hint: `built-in are ${Object.keys(READY_GATES).join(' and ')}; write \`resource\` and \`expression\` for one of your own`,
      });
    }
  },
};
