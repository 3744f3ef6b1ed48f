import type { Node } from 'kubernetes-types/core/v1.js';

export function isNodeReady(node: Node | undefined): boolean {
  return node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}
