import type { RemovedApiFinding } from '../../session/plan/index.js';
import type { CliContext } from '../context.js';
import { paint } from './paint.js';

export function tellRemovedApi(
  { globals, stdout }: Pick<CliContext, 'globals' | 'stdout'>,
  { severity, apiVersion, kind, message, advice }: RemovedApiFinding,
): void {
  if (globals.json) {
    stdout.write(`${JSON.stringify({ type: 'removed-api', severity, apiVersion, kind, message, advice })}\n`);
    return;
  }
  const colors = paint(globals.color);
  stdout.write(`${colors.yellow('warning')} ${message}\n  ${colors.dim(advice)}\n`);
}
