/** `cluster.yaml` and `nodes.yaml` of the cluster template to a config. */
import { isMapping } from '../../formats/text/mapping.js';
import type { ForeignDocument, NamedText } from '../foreign/document.js';
import { type ForeignResult, finishTranslation } from '../foreign/finish.js';
import { Report } from '../report.js';
import type { ReadText } from '../resolve/context.js';
import { readYamlSource } from '../yaml/yaml-source.js';
import { translateTemplate } from './template.js';

interface TemplateInput {
  readonly cluster: NamedText;
  readonly nodes: NamedText;
  readonly readText: ReadText;
}

export function loadTemplate({ cluster, nodes, readText }: TemplateInput): ForeignResult {
  const first = readYamlSource(cluster.path, cluster.text);
  const second = readYamlSource(nodes.path, nodes.text);
  const diagnostics = [...first.diagnostics, ...second.diagnostics];
  if (!first.source || !second.source) return { diagnostics };
  const [a, b] = [first.source, second.source];
  if (!isMapping(a.raw) || !isMapping(b.raw)) {
    const [source, name] = isMapping(a.raw) ? [b, 'nodes.yaml'] : [a, 'cluster.yaml'];
    const report = new Report(source.positionOf, source.frameOf);
    report.error({ code: 'config.type', path: [], message: `${name} is not a mapping (\`key: value\`)` });
    return { diagnostics: report.list() };
  }
  // Both files as one: `nodes` is the only key of nodes.yaml, and cluster.yaml has none of that name.
  const [clusterValues, nodeValues] = [a.raw, b.raw];
  const isOfNodes = (key: unknown) => Object.hasOwn(nodeValues, String(key));
  const document: ForeignDocument = {
    raw: { ...clusterValues, ...nodeValues },
    positionOf: (path, part) => (isOfNodes(path[0]) ? b : a).positionOf(path, part),
    frameOf: (position) => (position.file === nodes.path ? b : a).frameOf(position),
    commentOf: (path) => (isOfNodes(path[0]) ? b : a).commentOf?.(path),
  };
  const report = new Report(document.positionOf, document.frameOf);
  return finishTranslation(translateTemplate(document, report, readText), document, report, readText);
}
