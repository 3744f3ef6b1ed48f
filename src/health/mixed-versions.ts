/** Nodes that should run one version and run several: an upgrade stopped half-way, or someone upgraded one by hand. */
import type { Design } from '../design/design.js';
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import type { Observed } from '../observe/observed.js';
import { type Condition, conditionsOf, type Layer } from './condition.js';

/** Version → nodes that run it. */
type ByVersion = ReadonlyMap<string, readonly string[]>;

export function mixedVersionConditions(
  design: Design,
  { version }: KubernetesDesign,
  observed: Observed,
): Condition[] {
  const kubelets = observed.kubernetes?.nodes;
  return [
    // A node with a version of its own in oxherd.yaml is meant to differ.
    ...said(
      'machines',
      'talos-versions',
      'Talos',
      [...new Set(design.nodes.map((node) => node.talosVersion))].map(
        (wanted) => [wanted, talosVersions(design, observed, wanted)] as const,
      ),
    ),
    ...said('kubernetes', 'kubelet-versions', 'kubelets', [
      [
        version,
        grouped(
          kubelets?.known
            ? kubelets.value.map(({ name, kubeletVersion }) => [name, kubeletVersion] as const)
            : [],
        ),
      ],
    ]),
  ];
}

function talosVersions(design: Design, { machines }: Observed, wanted: string): ByVersion {
  return grouped(
    design.nodes
      .filter((node) => node.talosVersion === wanted)
      .flatMap(({ name }) => {
        const details = machines[name]?.details;
        return details?.known ? [[name, details.value.talosVersion] as const] : [];
      }),
  );
}

function grouped(running: readonly (readonly [string, string])[]): ByVersion {
  const groups = new Map<string, string[]>();
  for (const [node, version] of running) groups.set(version, [...(groups.get(version) ?? []), node]);
  return groups;
}

/** Nothing while nothing answers: that is said elsewhere. */
function said(
  layer: Layer,
  name: string,
  what: string,
  groups: readonly (readonly [wanted: string, running: ByVersion])[],
): Condition[] {
  const seen = groups.filter(([, running]) => running.size > 0);
  if (seen.length === 0) return [];
  const mixed = seen.filter(([, running]) => running.size > 1);
  const message =
    mixed.length === 0
      ? `${what} ${seen.map(([, running]) => [...running.keys()].join(', ')).join(' and ')}`
      : mixed.map(([wanted, running]) => mixedText(wanted, running)).join('; ');
  return [
    conditionsOf(layer).condition(
      name,
      undefined,
      mixed.length === 0,
      message,
      'run `oxherd apply`, which resumes; or `oxherd upgrade`, if that started it',
    ),
  ];
}

/** `2 of 5 run v1.14.1 as oxherd.yaml says; v1.13.9 still on cp-3, work-1, work-2` */
function mixedText(wanted: string, running: ByVersion): string {
  const all = [...running.values()].flat().length;
  const done = running.get(wanted)?.length ?? 0;
  const others = [...running]
    .filter(([version]) => version !== wanted)
    .map(([version, nodes]) => `${version} on ${nodes.join(', ')}`);
  return `${done} of ${all} run ${wanted} as in oxherd.yaml, ${others.join(', ')}`;
}
