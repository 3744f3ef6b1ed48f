/** talconfig.yaml or topf.yaml to a config. */
import { isMapping } from '../../formats/text/mapping.js';
import type { NamedText } from '../foreign/document.js';
import { type ForeignResult, finishTranslation } from '../foreign/finish.js';
import { Report } from '../report.js';
import type { ReadText } from '../resolve/context.js';
import { readYamlSource } from '../yaml/yaml-source.js';
import { sayMissing } from './patches.js';
import { talosToolOf } from './shape.js';
import { translateTalconfig } from './talconfig.js';
import { Variables } from './variables.js';

interface TalconfigFiles {
  readonly file: NamedText;
  readonly readText: ReadText;
  readonly listFiles: (folder: string) => readonly string[];
}

export function loadTalconfig({ file, readText, listFiles }: TalconfigFiles): ForeignResult {
  const variables = new Variables(readText);
  const { text, missing } = variables.in(file.text);
  const { source, diagnostics } = readYamlSource(file.path, text);
  if (!source) return { diagnostics };
  const { raw, positionOf, frameOf, commentOf } = source;
  const tool = talosToolOf(raw);
  const report = new Report(positionOf, frameOf);
  if (!isMapping(raw) || tool === undefined) {
    report.error({ code: 'config.type', path: [], message: 'this is no config of talhelper or topf' });
    return { diagnostics: report.list() };
  }
  if (missing.length > 0) {
    const places = missing.flatMap(({ name, line }) => {
      const here = new Report(() => ({ file: file.path, line, column: 1 }), frameOf);
      sayMissing(name, [], { report: here, variables });
      return here.list();
    });
    return { diagnostics: places };
  }
  const document = { raw, positionOf, frameOf, ...(commentOf && { commentOf }) };
  const input = { document, report, readText, listFiles, variables, tool };
  return finishTranslation(translateTalconfig(input), document, report, readText);
}
