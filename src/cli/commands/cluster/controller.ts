/** One replica of the fleet controller, until it is stopped. */
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { FleetPage } from '../../../controller/page/fleet-page.js';
import { issueText } from '../../../formats/text/issue-text.js';
import { parseDuration } from '../../../model/duration.js';
import { OxherdError } from '../../../model/error.js';
import type { Target } from '../../../session/context.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { FLEET_OPTIONS, fleetOptions } from '../../fleet/fleet-options.js';

export const command: CommandSpec = {
  name: 'controller',
  summary: 'run one replica of the fleet controller: keeps the OxherdClusters of a Kubernetes cluster',
  details:
    'In a pod it uses the service account, elsewhere a kubeconfig. It logs one JSON line per event to stdout, answers /livez and /readyz on one port and /metrics on another. On SIGTERM runs come to a safe end and their leases are released.',
  options: [
    ...FLEET_OPTIONS,
    { flags: '--namespaces <names>', description: 'namespaces to watch, separated by commas; default: all' },
    {
      flags: '--identity <name>',
      description: 'name of this replica; default: the host name and a random part',
    },
    {
      flags: '--work-dir <dir>',
      description: 'for files of clusters; nothing in it is needed after a restart',
    },
    {
      flags: '--lease <duration>',
      description: 'a replica that is silent for so long has lost its leases',
      default: '15s',
    },
    { flags: '--listen <address>', description: 'address of both ports', default: '0.0.0.0' },
    { flags: '--health-port <n>', description: 'port of /livez and /readyz, 0: any', default: '8081' },
    { flags: '--metrics-port <n>', description: 'port of /metrics, 0: any', default: '9090' },
    {
      flags: '--page-port <n>',
      description: 'port of the dashboard of the fleet, which only reads, 0: any; default: no dashboard',
    },
    {
      flags: '--page-host <names>',
      description: 'names that the dashboard answers to behind a proxy, separated by commas',
    },
  ],
  examples: [
    { command: 'oxherd controller --namespaces team-a,team-b', does: 'as the pod of the chart does' },
    {
      command: 'oxherd --lab controller --kubeconfig management.yaml --namespace oxherd-system',
      does: 'beside `oxherd lab serve`, with clusters on the lab',
    },
  ],
};

const port = z.coerce.number().int().min(0).max(65_535);

const schema = z.object({
  namespaces: z.string().default(''),
  identity: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9.]{0,200}[a-z0-9])?$/)
    .optional(),
  workDir: z.string().optional(),
  lease: z.string().default('15s'),
  listen: z.string().default('0.0.0.0'),
  healthPort: port.default(8081),
  metricsPort: port.default(9090),
  pagePort: port.optional(),
  pageHost: z.string().default(''),
});

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const parsed = schema.safeParse(input.options);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const flag = `--${flagOf(issue?.path)}`;
    throw new OxherdError('cli.usage', issueText({ path: [flag], message: issue?.message ?? 'not valid' }));
  }
  const { identity, workDir, lease, listen, healthPort, metricsPort, pagePort, pageHost } = parsed.data;
  const leaseSeconds = parseDuration(lease);
  // A lease says whole seconds, and is renewed five times in its duration.
  if (leaseSeconds === undefined || leaseSeconds < 5)
    throw new OxherdError('cli.usage', `--lease ${lease} is not a duration of at least 5s`);
  const { runReplica } = await import('../../../controller/main.js');
  await runReplica({
    ...fleetOptions(context, input.options),
    namespaces: listed(parsed.data.namespaces),
    ...(identity !== undefined && { identity }),
    workFolder: resolve(context.cwd, workDir ?? join('.oxherd', 'controller')),
    target: targetOf(context),
    leaseMs: leaseSeconds * 1_000,
    host: listen,
    healthPort,
    metricsPort,
    ...(pagePort !== undefined && {
      page: async (fleet: FleetPage) => {
        const { serveFleetPage } = await import('../../fleet/serve-page.js');
        return serveFleetPage(fleet, { listen, port: pagePort, names: listed(pageHost) });
      },
    }),
    write: (line) => void context.stdout.write(line),
    signal: context.signal,
  });
  return EXIT.done;
}

/** `healthPort` is `--health-port`. */
function flagOf(path: readonly PropertyKey[] = []): string {
  return path.join('.').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function listed(text: string): string[] {
  return text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}

/** Sessions have folders of their own, and all of them the lab of this one. */
function targetOf(context: CliContext): Target {
  const { target } = context;
  if (target.kind !== 'lab') return target;
  return {
    kind: 'lab',
    open: async (config) => {
      if (target.open) return target.open(config);
      const { openLab } = await import('../../../session/lab/open-lab.js');
      return openLab(context, target, config);
    },
  };
}
