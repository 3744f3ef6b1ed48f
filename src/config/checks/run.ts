import { formatPath, type Path } from '../position.js';
import type { Check, CheckInput } from './check.js';

const CHECKS: readonly Check[] = [];

export function runChecks({ broken, ...input }: CheckInput & { broken: readonly Path[] }): void {
  const refused = broken.map(formatPath);
  for (const check of CHECKS) {
    const blind = check.needs.some((need) =>
      refused.some((path) => path === need || need.startsWith(`${path}.`) || path.startsWith(`${need}.`)),
    );
    if (!blind) check.run(input);
  }
}
