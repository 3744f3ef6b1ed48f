import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { counted } from '../../../model/count.js';
import { parseDuration } from '../../../model/duration.js';
import { OxherdError } from '../../../model/error.js';
import { replacePrivateFile } from '../../../secrets/private-file.js';
import { MAX_FILE_BYTES, readTextLimited } from '../../../secrets/read-file.js';
import type { Plan, PlanRequest } from '../../../session/plan/index.js';
import { type Chaos, chaos } from '../../../session/rehearse/chaos/chaos.js';
import { keepChaos, keptChaos } from '../../../session/rehearse/chaos/chaos-file.js';
import { type Observation, parseObservation } from '../../../session/rehearse/observation.js';
import { openTwin } from '../../../session/rehearse/open-twin.js';
import { isClean, type Rehearsal } from '../../../session/rehearse/rehearsal.js';
import { foretold, rehearseOn } from '../../../session/rehearse/rehearse.js';
import { openSession } from '../../../session/session.js';
import { ADOPT_OPTIONS } from '../../adopt/adopt-request.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode, Interrupted } from '../../context.js';
import { DRAIN_OPTIONS } from '../../host-maintenance.js';
import { withUserFlags } from '../../own-commands.js';
import { REHEARSED, rehearsedRequest, upgraded } from '../../rehearse/rehearsed-request.js';
import { requireConfig } from '../../require-config.js';
import { rehearsalHtml } from '../../views/rehearsal/html.js';
import { caseText, chaosText, rehearsalText } from '../../views/rehearsal/text.js';

export const command: CommandSpec = {
  name: 'rehearse',
  summary: 'run the plan on a simulated twin of the cluster first, and show what it does; changes nothing',
  details:
    'The twin is a lab that starts from the state of the cluster, with secrets of its own. The cluster is only read. With --chaos the plan runs again with each fault at each step.',
  args: [
    { name: '[what]', description: 'which command to rehearse; default: apply', choices: REHEARSED },
    { name: '[name...]', description: 'nodes to restart or replace, or the host to drain or return' },
  ],
  options: [
    { flags: '--chaos', description: 'try each fault at each step, most disruptive steps first' },
    {
      flags: '--budget <duration>',
      description: 'how long --chaos may take, such as 90s or 5m',
      default: '5m',
    },
    { flags: '--seed <number>', description: 'order of the cases of --chaos', default: '0' },
    { flags: '--case <id>', description: 'replay one case of --chaos' },
    { flags: '--from <file>', description: 'a state that `oxherd observe` wrote, instead of the cluster' },
    { flags: '--html <file>', description: 'the report as one page, with pictures and tables' },
    { flags: '--talos <version>', description: 'with upgrade: Talos version of the next hop' },
    { flags: '--kubernetes <version>', description: 'with upgrade: Kubernetes version of the next hop' },
    ...DRAIN_OPTIONS.map((option) => ({ ...option, description: `with drain: ${option.description}` })),
    ...ADOPT_OPTIONS.map((option) => ({ ...option, description: `with adopt: ${option.description}` })),
  ],
  json: 'one document: the outcome of the rehearsal, as the report shows it',
  examples: [
    { command: 'oxherd rehearse', does: 'what `oxherd apply` would do, with downtime of each node' },
    { command: 'oxherd rehearse --chaos --budget 10m', does: 'what happens when something fails on the way' },
    { command: 'oxherd rehearse upgrade --talos v1.14.2', does: 'an upgrade, without writing oxherd.yaml' },
    { command: 'oxherd rehearse drain pve2 --html drain.html', does: 'maintenance of a host, as a page' },
  ],
};

/** Each has a twin of its own, some 200 MB. */
const MOST_THREADS = 8;

interface Outcome {
  readonly rehearsal: Rehearsal;
  readonly chaos?: Chaos;
}

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const budget = budgetOf(options);
  // A twin leaves much garbage: it is collected before the process has grown to twice its size. Many cases want their time.
  if (options.chaos !== true) setFlagsFromString('--heap-growing-percent=50');
  const written = requireConfig(context);
  const loaded = args[0] === 'upgrade' ? upgraded(context, written, options) : written;
  const request = await rehearsedRequest(context, loaded, { args, options });
  const tell = (text: string): void => {
    if (!context.globals.json) context.stderr.write(`${text}\n`);
  };
  const { observation, plan } = await stateFor(context, loaded, request, options.from);
  if (context.signal.aborted) throw new Interrupted();
  tell(`twin of ${loaded.config.cluster.name}: starting`);
  const opened = await openTwin(loaded, observation, { env: context.env, signal: context.signal });
  const outcome = await (async (): Promise<Outcome> => {
    try {
      const kept = opened.keep();
      const ran = await rehearseOn(opened, loaded.config, request, {
        ...(plan && { plan }),
        onEvent: (event) => {
          if (event.type === 'step-started') tell(`  ${event.title}`);
        },
      });
      if (context.signal.aborted) {
        tell('interrupted: run the same command again, it starts from the beginning');
        throw new Interrupted();
      }
      const rehearsal = plan ? await foretold(context, loaded.config, ran) : ran;
      const wanted = options.chaos === true || options.case !== undefined;
      if (!wanted || !rehearsal.valid) return { rehearsal };
      return { rehearsal, chaos: await runChaos(context, kept, request, options, budget, tell) };
    } finally {
      await opened.close();
    }
  })();
  if (typeof options.html === 'string')
    await replacePrivateFile(
      resolve(context.cwd, options.html),
      rehearsalHtml(outcome.rehearsal, outcome.chaos),
    );
  show(context, outcome);
  const unsafe = outcome.chaos?.tried.some(({ verdict }) => verdict === 'UNSAFE') === true;
  if (context.signal.aborted) return EXIT.interrupted;
  return isClean(outcome.rehearsal) && !unsafe ? EXIT.done : EXIT.failed;
}

interface Budget {
  readonly seconds: number;
  readonly seed: number;
}

function budgetOf({ budget, seed }: CommandInput['options']): Budget {
  const seconds = parseDuration(String(budget));
  const number = Number(seed);
  if (seconds === undefined || !Number.isSafeInteger(number))
    throw new OxherdError('cli.chaos', '--budget takes a duration such as 5m, --seed a whole number');
  return { seconds, seed: number };
}

function show(context: CliContext, outcome: Outcome): void {
  const { color, json } = context.globals;
  if (json) {
    context.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`);
    return;
  }
  context.stdout.write(`${withUserFlags(context, rehearsalText(outcome.rehearsal, color))}\n`);
  if (outcome.chaos) context.stdout.write(`\n${chaosText(outcome.chaos, color)}\n`);
}

async function runChaos(
  context: CliContext,
  kept: Parameters<typeof chaos>[0],
  request: PlanRequest,
  options: CommandInput['options'],
  { seconds, seed }: Budget,
  tell: (text: string) => void,
): Promise<Chaos> {
  // From the first case on: what goes before it is no choice.
  let deadline: number | undefined;
  const isOver = (): boolean => {
    const now = performance.now();
    deadline ??= now + seconds * 1_000;
    return now > deadline;
  };
  const cluster = kept.loaded.config.cluster;
  return chaos(kept, request, {
    env: context.env,
    signal: context.signal,
    seed,
    threads: typeof options.case === 'string' ? 1 : Math.min(MOST_THREADS, availableParallelism()),
    ...(typeof options.case === 'string' && { choose: () => [String(options.case)] }),
    isOver,
    ...(typeof options.case !== 'string' && {
      before: (planId) => keptChaos(context, cluster, planId),
      keep: (found) => keepChaos(context, cluster, found),
    }),
    onStart: (tried, of) =>
      tell(`${counted(of, 'case')}${tried > 0 ? `; ${tried} were tried before, continuing there` : ''}`),
    onResult: (result, tried, of) => tell(`  ${tried}/${of} ${result.verdict}: ${caseText(result)}`),
  });
}

async function stateFor(
  context: CliContext,
  loaded: ReturnType<typeof requireConfig>,
  request: PlanRequest,
  from: unknown,
): Promise<{ readonly observation: Observation; readonly plan?: Plan }> {
  if (typeof from === 'string') {
    const path = resolve(context.cwd, from);
    return { observation: parseObservation(readTextLimited(path, MAX_FILE_BYTES), from) };
  }
  const session = await openSession(loaded, context.target, { ...context, readOnly: true });
  try {
    const { plan } = await session.plan(request);
    return { observation: await session.observation({ adopt: request.kind === 'adopt' }), plan };
  } finally {
    await session.close();
  }
}
