/** What a verdict does not cover, because it could not be read. */
import { incompleteText, type UnreadPart } from '../../session/plan/index.js';

export function incompleteLines(parts: readonly UnreadPart[]): string[] {
  return [incompleteText(parts), ...parts.map(({ what, why }) => `  ${what}: ${why}`)];
}
