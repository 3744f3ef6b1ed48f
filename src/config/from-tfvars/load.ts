/** Variable files to a config. */
import type { NamedText } from '../foreign/document.js';
import { type ForeignResult, finishTranslation } from '../foreign/finish.js';
import { Report } from '../report.js';
import type { ReadText } from '../resolve/context.js';
import { isExported, translateExported } from './exported.js';
import { translateModule } from './module.js';
import { readVariables } from './read-variables.js';

interface TfvarsInput {
  /** In Terraform's order: of a variable that several set, the last one counts. */
  readonly files: readonly NamedText[];
  readonly readText: ReadText;
}

export function loadTfvars({ files, readText }: TfvarsInput): ForeignResult {
  const { document, diagnostics } = readVariables(files);
  if (!document) return { diagnostics };
  const report = new Report(document.positionOf, document.frameOf);
  const translation = isExported(document)
    ? translateExported(document, report)
    : translateModule({ document, report, files, readText });
  return finishTranslation(translation, document, report, readText);
}
