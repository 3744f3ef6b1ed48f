import { setTimeout as delay } from 'node:timers/promises';
import { assess } from '../../health/assess.js';
import { type Condition, isHealthy } from '../../health/condition.js';
import { withResolvedHosts } from '../../plan/vms/node-host.js';
import { certificateTerms } from '../certificate-terms.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { look } from '../prepare-plan.js';
import { type Site, withSite } from '../site.js';
import { statusText } from '../views/status.js';
import { ownEscape } from '../views/terminal-text.js';

const WATCH_MS = 2_000;

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  return withSite(context, async (site) => {
    if (options.watch === true) return watch(context, site);
    const conditions = await conditionsOf(context, site);
    const healthy = isHealthy(conditions);
    if (context.globals.json) context.stdout.write(`${JSON.stringify({ healthy, conditions }, null, 2)}\n`);
    else
      context.stdout.write(
        `${statusText(conditions, { color: context.globals.color, all: options.all === true })}\n`,
      );
    return healthy ? EXIT.done : EXIT.unhealthy;
  });
}

async function conditionsOf(context: CliContext, site: Site): Promise<Condition[]> {
  const { design, observed, kubernetes } = await look(site, { machines: true, health: true });
  // A node that somebody moved is told the host it is on.
  const settled = withResolvedHosts(design, observed);
  const desired = site.machines.secrets ? await site.machines.desired(settled) : undefined;
  const wantedConfigs = Object.fromEntries(
    Object.entries(desired?.configs ?? {}).map(([node, config]) => [node, config.hash]),
  );
  const certificates = await certificateTerms(context, site.config, site.machines.secrets);
  return assess({
    design,
    observed,
    wantedConfigs,
    certificates,
    kubernetes,
    gates: site.config.policy.gates,
    now: Date.now(),
  });
}

/** Until Ctrl-C; the exit code is that of the last look. With `--json` one document per line, at each change. */
async function watch(context: CliContext, site: Site): Promise<ExitCode> {
  let last = '';
  let healthy = true;
  while (!context.signal.aborted) {
    const conditions = await conditionsOf(context, site);
    healthy = isHealthy(conditions);
    const text = context.globals.json
      ? JSON.stringify({ healthy, conditions })
      : statusText(conditions, { color: context.globals.color, all: false });
    if (text !== last) {
      if (context.stdout.isTTY && !context.globals.json)
        context.stdout.write(ownEscape('[H') + ownEscape('[2J'));
      context.stdout.write(`${text}\n`);
      last = text;
    }
    await delay(WATCH_MS, undefined, { signal: context.signal }).catch(() => undefined);
  }
  return healthy ? EXIT.done : EXIT.unhealthy;
}
