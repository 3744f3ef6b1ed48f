import type { NodeDesign } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';

/** Where a machine answers until it has the address of oxherd.yaml. */
export function addressNow(
  { name, ip }: Pick<NodeDesign, 'name' | 'ip'>,
  { machines }: Pick<Observed, 'machines'>,
): string {
  const machine = machines[name];
  return machine?.presence === 'configured' ? (machine.address ?? ip) : ip;
}

/** Its address changes by this plan. */
export function isReaddressed(node: NodeDesign, observed: Pick<Observed, 'machines'>): boolean {
  return addressNow(node, observed) !== node.ip;
}
