/** The path to other versions of Talos and Kubernetes, and what runs now. */
import type { Config } from '../../../config/config.js';
import { OxherdError } from '../../../model/error.js';
import { kubernetesRelease, TALOS_MINORS, talosRelease } from '../../../model/releases.js';
import { compareVersions, formatVersion, parseVersion, type Version } from '../../../model/version.js';
import {
  type RunningVersions,
  runningVersions,
  upgradePath,
  type Versions,
} from '../../../session/plan/index.js';
import type { UpgradeView } from '../../api.js';
import type { Reading } from '../reading.js';

export function upgradeView(
  { config, status: { observed } }: Reading,
  query: URLSearchParams,
  command: (text: string) => string,
): UpgradeView {
  const written: Versions = { talos: config.talos.version, kubernetes: config.cluster.kubernetes };
  const running = runningVersions(observed, followers(config));
  const goal: Versions = {
    talos: asked(query, 'talos') ?? written.talos,
    kubernetes: asked(query, 'kubernetes') ?? written.kubernetes,
  };
  const from = running?.lowest ?? written;
  // What one node already runs must not be taken from it, so the goal is held against the highest too.
  const highest = upgradePath(running?.highest ?? from, goal);
  const path = highest.legal ? upgradePath(from, goal) : highest;
  const { talos, kubernetes } = {
    talos: formatVersion(goal.talos),
    kubernetes: formatVersion(goal.kubernetes),
  };
  return {
    ...(running && { running: runningView(running) }),
    goal: { talos, kubernetes },
    choices: choicesFrom(from, written),
    hops: path.legal
      ? path.hops.map(({ what, ...hop }) => ({
          what,
          from: formatVersion(hop.from),
          to: formatVersion(hop.to),
        }))
      : [],
    ...(!path.legal && { refused: path.reason }),
    command: command(`oxherd upgrade --talos ${talos} --kubernetes ${kubernetes}`),
  };
}

function runningView({ nodes }: RunningVersions): NonNullable<UpgradeView['running']> {
  const rows = nodes.map(({ node, talos, kubernetes }) => ({
    node,
    talos: formatVersion(talos),
    ...(kubernetes && { kubernetes: formatVersion(kubernetes) }),
  }));
  return {
    talos: [...new Set(rows.map((row) => row.talos))].sort(),
    kubernetes: [...new Set(rows.flatMap((row) => row.kubernetes ?? []))].sort(),
    nodes: rows,
  };
}

/** What is known of the minors from here on. */
function choicesFrom({ talos, kubernetes }: Versions, written: Versions): UpgradeView['choices'] {
  const minors = Object.keys(TALOS_MINORS).map((minor) => Number(minor.replace('v1.', '')));
  const last = Math.max(...Object.values(TALOS_MINORS).map((one) => one.kubernetes[1]));
  const talosChoices = minors
    .filter((minor) => minor >= talos.minor)
    .flatMap((minor) => talosRelease(minor) ?? []);
  const count = Math.max(0, last - kubernetes.minor + 1);
  const kubernetesChoices = Array.from({ length: count }, (_, index) =>
    kubernetesRelease(kubernetes.minor + index),
  );
  return {
    talos: named([talos, written.talos, ...talosChoices], talos),
    kubernetes: named([kubernetes, written.kubernetes, ...kubernetesChoices], kubernetes),
  };
}

function named(versions: readonly Version[], from: Version): string[] {
  const ahead = versions.filter((version) => compareVersions(version, from) >= 0);
  return [...new Set(ahead.sort(compareVersions).map(formatVersion))];
}

function asked(query: URLSearchParams, what: 'talos' | 'kubernetes'): Version | undefined {
  const text = query.get(what);
  if (text === null) return undefined;
  const version = parseVersion(text);
  if (version) return version;
  throw new OxherdError('ui.version', `${what} ${text} is not a version`, { advice: 'write it as v1.14.1' });
}

/** Nodes with a `talosVersion` of their own stay where they are. */
function followers({ nodes, talos }: Config): string[] {
  return nodes
    .filter((node) => compareVersions(node.talosVersion, talos.version) === 0)
    .map((node) => node.name);
}
