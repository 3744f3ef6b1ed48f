/** What was found of a running cluster, and what to do next. */
import type { RunningCluster } from '../../session/from-cluster/describe-running-cluster.js';
import type { CliContext } from '../context.js';
import { withUserFlags } from '../own-commands.js';
import { paint } from './paint.js';

export function tellRunningCluster(context: CliContext, file: string, running: RunningCluster): void {
  const { config, different, patches, notes } = running;
  if (context.globals.json) {
    const nodes = config.nodes.map(({ name }) => name);
    context.stdout.write(`${JSON.stringify({ file, nodes, patches, different, notes })}\n`);
    return;
  }
  const color = paint(context.globals.color);
  const write = (line: string) => context.stdout.write(`${line}\n`);
  write(`wrote ${file}: ${config.nodes.length} nodes, ${patches} patches`);
  for (const note of notes) write(`${color.yellow('note')} ${note}`);
  for (const { node, secret } of different) {
    const where = secret.length > 0 ? `: secrets at ${secret.join(', ')} are not written into a config` : '';
    write(`${color.red('differs')} ${node}: the designed machine config is not the one it has${where}`);
  }
  const next = different.length > 0 ? '' : ' Take the cluster over with `oxherd adopt`.';
  write(withUserFlags(context, `Nothing was changed.${next}`));
}
