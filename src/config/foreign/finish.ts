/** The last part of every foreign reader. */
import { hasErrors, sortDiagnostics } from '../diagnostics.js';
import { type LoadResult, resolveConfig } from '../load.js';
import type { Report } from '../report.js';
import type { ReadText } from '../resolve/context.js';
import type { ForeignDocument } from './document.js';
import type { KeptComment } from './renovate.js';
import type { Translation } from './translation.js';

export interface ForeignResult extends LoadResult {
  /** In the shape of oxherd.yaml; for `convert`. */
  readonly raw?: Readonly<Record<string, unknown>>;
  /** What keys were called, by their path in oxherd.yaml. */
  readonly wasCalled?: ReadonlyMap<string, string>;
  /** Comments that stay with a value, by its path in oxherd.yaml. */
  readonly comments?: ReadonlyMap<string, KeptComment>;
  /** Lines for the head of the converted file: what has no place in it. */
  readonly remarks?: readonly string[];
}

/** The checks of oxherd.yaml, told in the words of the file. */
export function finishTranslation(
  translation: Translation,
  document: ForeignDocument,
  report: Report,
  readText: ReadText,
): ForeignResult {
  const own = report.list();
  if (hasErrors(own)) return { diagnostics: own };
  const source = translation.source(document);
  const { config, diagnostics, placeOf } = resolveConfig(source, readText);
  const all = sortDiagnostics([...own, ...translation.inTheirWords(diagnostics)]);
  return {
    ...(config && { config }),
    ...(placeOf && { placeOf }),
    raw: translation.raw,
    wasCalled: translation.wasCalled,
    comments: translation.commentsIn(document),
    remarks: translation.remarks,
    diagnostics: all,
  };
}
