/**
 * Room `config`: from the text of oxherd.yaml to a checked config, and edits of that text.
 * May touch: texts that it is given, files through `readText`; no clock.
 *
 * Text to a validated config: every problem in one run, each with its place.
 */
import { runChecks } from './checks/run.js';
import type { Config } from './config.js';
import { type Diagnostic, hasErrors } from './diagnostics.js';
import { talosToolOf } from './from-talconfig/shape.js';
import { parseFile } from './parse-file.js';
import { Report } from './report.js';
import { resolveBackup } from './resolve/backup.js';
import { type ReadText, ResolveContext } from './resolve/context.js';
import { resolveKubernetes } from './resolve/kubernetes.js';
import { resolveNodes } from './resolve/nodes.js';
import {
  resolveCluster,
  resolveHosts,
  resolveNetwork,
  resolvePolicy,
  resolveProxmox,
  resolveTalos,
} from './resolve/sections.js';
import { resolveVolumes } from './resolve/volumes.js';
import type { Position } from './yaml/position.js';
import { type ConfigSource, readYamlSource } from './yaml/yaml-source.js';

export interface LoadResult {
  /** Absent where there are errors. */
  readonly config?: Config;
  readonly diagnostics: readonly Diagnostic[];
  /** For what later stages refuse: the place of a node, of a patch by its origin, or of oxherd.yaml. */
  readonly placeOf?: (subject: string) => Place;
}

export interface Place extends Position {
  readonly frame: string;
}

export interface LoadInput {
  /** Shown in messages. */
  readonly path: string;
  readonly text: string;
  /** Files that the config names, by the path as written there (relative to the config's folder). */
  readonly readText: ReadText;
}

export function loadConfig({ path, text, readText }: LoadInput): LoadResult {
  const { source, diagnostics } = readYamlSource(path, text);
  if (!source) return { diagnostics };
  const tool = talosToolOf(source.raw);
  return tool === undefined
    ? resolveConfig(source, readText)
    : { diagnostics: ofOtherTool(source, path, tool) };
}

/** One hint instead of everything that such a file lacks here. */
function ofOtherTool(
  { positionOf, frameOf }: ConfigSource,
  path: string,
  tool: string,
): readonly Diagnostic[] {
  const report = new Report(positionOf, frameOf);
  report.error({
    code: 'config.other-tool',
    path: ['clusterName'],
    at: 'key',
    message: `this is a config of ${tool}, not of oxherd`,
    hint: `write an oxherd.yaml from it: \`oxherd convert ${path}\``,
  });
  return report.list();
}

/** From any reader that gives an object in the shape of oxherd.yaml, and the place of each value. */
export function resolveConfig(source: ConfigSource, readText: ReadText): LoadResult {
  const report = new Report(source.positionOf, source.frameOf);
  const { file, broken } = parseFile(source.raw, report);
  if (!file) return { diagnostics: report.list() };

  const context = new ResolveContext(report, readText);
  const cluster = resolveCluster(file, context);
  const talos = resolveTalos(file, context);
  const { nodes, origins } = resolveNodes(file, cluster, talos, context);
  const config: Config = {
    cluster,
    talos,
    proxmox: resolveProxmox(file, context),
    network: resolveNetwork(file),
    nodes,
    volumes: resolveVolumes(file),
    hosts: resolveHosts(file),
    kubernetes: resolveKubernetes(file, context),
    policy: resolvePolicy(file),
    ...resolveBackup(file),
  };
  runChecks({ config, file, origins, report, broken });
  const diagnostics = report.list();
  if (hasErrors(diagnostics)) return { diagnostics };
  const paths = new Map(context.origins);
  for (const key of ['apiServer', 'kubelet', 'machineFeatures'])
    paths.set(`cluster.${key}`, ['cluster', key]);
  for (const [node, { path }] of origins) paths.set(node.name, path);
  const placeOf = (subject: string): Place => {
    const position = source.positionOf(paths.get(subject) ?? [], 'key');
    return { ...position, frame: source.frameOf(position) };
  };
  return { config, diagnostics, placeOf };
}
