import type { YAMLParseError } from 'yaml';
import {
  documentId,
  parseTalosDocuments,
  type TalosDocument,
  TalosDocumentError,
} from '../../../formats/talos/talos-documents.js';
import { keysUnknownTo, kindKnownTo } from '../../../formats/talos/talos-versions.js';
import type { Version } from '../../../model/version.js';
import type { ConfigDocument } from '../config/config-document.js';
import { ConfigError } from './config-error.js';

export interface LoadedConfig {
  readonly documents: readonly ConfigDocument[];
}

/**
 * Reads a config as Talos' loader does (configloader/internal/decoder), or throws its complaint. `version` is the Talos
 * that reads it: kinds of documents that came later are not registered there.
 */
export function loadConfig(text: string, version?: Version): LoadedConfig {
  try {
    const documents = parseTalosDocuments(text, goYamlProblem);
    const tooNew = version && documents.find(({ kind }) => !kindKnownTo(kind, version));
    if (tooNew) {
      const { apiVersion, kind, line } = tooNew;
      const place = `${documentId(tooNew)} (line ${line})`;
      throw new ConfigError(`error decoding document ${place}: "${kind}" "${apiVersion}": not registered`);
    }
    for (const document of documents) refuseNewerKeys(document, version);
    return { documents: documents.map(({ kind, name, value }) => ({ kind, name, body: value })) };
  } catch (error) {
    throw error instanceof TalosDocumentError ? new ConfigError(error.message) : error;
  }
}

/** Keys that came later are unknown keys to an older Talos. */
function refuseNewerKeys(document: TalosDocument, version: Version | undefined): void {
  const [path] = version ? keysUnknownTo(document.kind, document.value, version) : [];
  if (path === undefined) return;
  const place = `${documentId(document)} (line ${document.line})`;
  const keys = path
    .split('.')
    .map((key, depth) => `${'    '.repeat(depth)}${key}:\n`)
    .join('');
  throw new ConfigError(`error decoding document ${place}: unknown keys found during decoding:\n${keys}`);
}

/** The words of Go's YAML reader, where ours says the same thing. */
function goYamlProblem(error: YAMLParseError, text: string): string {
  const place = (offset: number) => {
    const before = text.slice(0, offset).split('\n');
    return `L${before.length}.C${(before.at(-1)?.length ?? 0) + 1}`;
  };
  const flow =
    /^Flow (map|sequence) in block collection|^Expected flow (map|sequence) to end|must (?:be|end)/.exec(
      error.message,
    );
  const open = Math.max(text.indexOf('{'), text.indexOf('['));
  if (flow && open >= 0) {
    const map = text[open] === '{';
    const what = map ? 'a flow mapping' : 'a flow sequence';
    const end = `${place(open)}-${place(text.length)}`;
    return `go-yaml load error in parser (while parsing ${what}) at ${end}: did not find expected ',' or '${map ? '}' : ']'}'`;
  }
  return `go-yaml load error in parser at ${place(error.pos[0])}: ${error.message.split('\n')[0] ?? ''}`;
}
