/**
 * Hop by hop to other versions. The file holds the versions of the hop that is under way and the goal is noted down,
 * so an upgrade that was interrupted goes on with the next `upgrade`, and `apply` finishes its hop.
 */
import type { Config } from '../../../config/config.js';
import { OxherdError } from '../../../model/error.js';
import { compareVersions, formatVersion, parseVersion } from '../../../model/version.js';
import { sameVersions, writeVersions } from '../../../session/config/config-versions.js';
import { editableConfig } from '../../../session/config/edit-config-file.js';
import { type UpgradeGoal, upgradeGoal } from '../../../session/config/upgrade-goal.js';
import { filesOf } from '../../../session/context.js';
import {
  afterHop,
  type RunningVersions,
  runningVersions,
  type UpgradeHop,
  upgradePath,
  type Versions,
  type Via,
} from '../../../session/plan/index.js';
import type { Session } from '../../../session/session.js';
import { applyPlan } from '../../apply-plan.js';
import type { CommandSpec } from '../../command-spec.js';
import { confirm } from '../../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { versionOf } from '../../rehearse/rehearsed-request.js';
import { pairText, printHop, printPath, printReached } from '../../views/upgrade.js';
import { withSession } from '../../with-session.js';
import { FULL, YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'upgrade',
  summary: 'upgrade Talos and Kubernetes, one minor at a time',
  details:
    'Finds the supported path, writes the versions of each hop into oxherd.yaml and applies it. Without versions: resumes an interrupted upgrade, or upgrades to the versions in oxherd.yaml.',
  options: [
    { flags: '--talos <version>', description: 'Talos version to reach' },
    { flags: '--kubernetes <version>', description: 'Kubernetes version to reach' },
    {
      flags: '--via <release...>',
      description: 'releases to take on the way, such as talos:v1.13.8 or kubernetes:v1.36.2',
    },
    { flags: '--write', description: 'with --lab: write the versions into the config without being asked' },
    YES,
    FULL,
  ],
  json: '`{ type: "path", … }`, then the events of each run, one per line',
  examples: [
    { command: 'oxherd upgrade --talos v1.14.1', does: 'shows the upgrade path, asks, upgrades' },
    { command: 'oxherd upgrade --kubernetes v1.37.0 --yes', does: 'one minor after the other' },
    { command: 'oxherd upgrade', does: 'resumes an interrupted upgrade' },
  ],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const file = editableConfig(
    context,
    'upgrade.foreign-file',
    'edit the versions in it and run `oxherd apply`',
  );
  const asked = {
    talos: versionOf('talos', options.talos),
    kubernetes: versionOf('kubernetes', options.kubernetes),
  };
  const { running, written, note } = await withSession(context, async (session) => ({
    running: await versionsOf(session),
    written: { talos: session.config.talos.version, kubernetes: session.config.cluster.kubernetes },
    note: upgradeGoal(filesOf(context), session.config.cluster),
  }));
  const named = asked.talos !== undefined || asked.kubernetes !== undefined;
  const goal = (named ? undefined : await goalAhead(note, running)) ?? {
    talos: asked.talos ?? written.talos,
    kubernetes: asked.kubernetes ?? written.kubernetes,
  };
  const hops = legalHops(running, goal, viaReleases(options.via, written));
  if (hops.length === 0 && sameVersions(written, goal)) {
    await note.forget();
    printReached(context, goal, false);
    return EXIT.done;
  }
  printPath(context, running, goal, hops);
  if (!(await mayWrite(context, file, options.write === true))) return EXIT.failed;
  if (options.yes !== true && !(await confirm(context, 'Go this way?', 'run `oxherd upgrade … --yes`'))) {
    return EXIT.failed;
  }
  await note.write(goal);
  let at = running.lowest;
  for (const [index, hop] of hops.entries()) {
    if (context.signal.aborted) return EXIT.interrupted;
    at = afterHop(at, hop);
    printHop(context, hop, index, hops.length);
    const exit = await carryOutHop(context, file, at);
    if (exit !== EXIT.done) return exit;
  }
  // The file may have been behind a cluster that needs no hop.
  if (hops.length === 0) writeVersions(file, goal);
  await note.forget();
  printReached(context, goal, true);
  return EXIT.done;
}

/** The lab takes its versions from the config that a real cluster is made from too, so writing them there is said first. */
async function mayWrite(context: CliContext, file: string, write: boolean): Promise<boolean> {
  if (!context.globals.lab || write) return true;
  return confirm(
    context,
    `This lab upgrade writes the versions into ${file}, which is the config of a real cluster as well. Continue?`,
    'add --write to allow the lab upgrade to change the config, or work on a copy with -c',
  );
}

/** A note that the cluster has left behind, by hand or by other tools, is no goal any more. */
async function goalAhead(note: UpgradeGoal, running: RunningVersions): Promise<Versions | undefined> {
  const noted = await note.read();
  return noted && upgradePath(running.highest, noted).legal ? noted : undefined;
}

/** Writes the file, applies it, and believes only what the machines say afterwards. */
async function carryOutHop(context: CliContext, file: string, versions: Versions): Promise<ExitCode> {
  writeVersions(file, versions);
  return withSession(context, async (session) => {
    const exit = await applyPlan(context, session, { yes: true, goOn: 'oxherd upgrade' });
    if (exit !== EXIT.done) return exit;
    const { lowest, nodes } = await versionsOf(session);
    if (
      compareVersions(lowest.talos, versions.talos) >= 0 &&
      compareVersions(lowest.kubernetes, versions.kubernetes) >= 0
    )
      return exit;
    const behind = nodes
      .filter(
        ({ talos, kubernetes }) =>
          compareVersions(talos, versions.talos) < 0 ||
          (kubernetes && compareVersions(kubernetes, versions.kubernetes) < 0),
      )
      .map(
        ({ node, talos, kubernetes }) =>
          `${node} (${pairText({ talos, kubernetes: kubernetes ?? lowest.kubernetes })})`,
      );
    throw new OxherdError(
      'upgrade.not-reached',
      `the hop to ${pairText(versions)} is not complete: ${behind.join(', ') || `the API server runs Kubernetes ${formatVersion(lowest.kubernetes)}`}`,
      { advice: 'no further hop was started; see `oxherd status`, then resume with `oxherd upgrade`' },
    );
  });
}

function legalHops(running: RunningVersions, goal: Versions, via: Via): readonly UpgradeHop[] {
  // What one node already runs must not be taken from it, so the goal is held against the highest too.
  const highest = upgradePath(running.highest, goal, via);
  const path = highest.legal ? upgradePath(running.lowest, goal, via) : highest;
  if (path.legal) return path.hops;
  const { legalAlternative: other } = path;
  throw new OxherdError('upgrade.illegal', path.reason, {
    advice: other
      ? `this is possible: oxherd upgrade --talos ${formatVersion(other.talos)} --kubernetes ${formatVersion(other.kubernetes)}`
      : 'stay with the versions there are',
  });
}

async function versionsOf(session: Session): Promise<RunningVersions> {
  const { observed } = await session.gather();
  const running = runningVersions(observed, followers(session.config));
  if (running) return running;
  throw new OxherdError('upgrade.no-machines', 'no machine of the cluster says which versions it runs', {
    advice: 'look at `oxherd status`; before the first `apply`, edit the versions in oxherd.yaml instead',
  });
}

/** Nodes with a `talosVersion` of their own stay where they are. */
function followers({ nodes, talos }: Config): string[] {
  return nodes
    .filter((node) => compareVersions(node.talosVersion, talos.version) === 0)
    .map((node) => node.name);
}

/** What was asked for; else what oxherd.yaml has, so that a hop that was interrupted is gone on with and not another. */
function viaReleases(given: unknown, written: Versions): Via {
  const read = (Array.isArray(given) ? given : []).map((text) => {
    const [, what, version] = /^(talos|kubernetes):(.+)$/.exec(String(text)) ?? [];
    const parsed = parseVersion(version ?? '');
    if (what && parsed) return { what, parsed };
    throw new OxherdError('cli.version', `--via ${String(text)} is not a release`, {
      advice: 'write it as talos:v1.13.8 or kubernetes:v1.36.2',
    });
  });
  const of = (name: string) => read.filter(({ what }) => what === name).map(({ parsed }) => parsed);
  return {
    talos: [...of('talos'), written.talos],
    kubernetes: [...of('kubernetes'), written.kubernetes],
  };
}
