/** A config that was saved without texts that may be secret, with those that a config of today has at the same places. */
import { redactDocuments } from '../../formats/redact/redact-talos.js';
import { REDACTED } from '../../formats/redact/redact-text.js';
import { formatTalosDocuments } from '../../formats/talos/talos-documents.js';
import { isMapping, type Mapping } from '../../formats/text/mapping.js';
import { readYamlDocuments } from '../../formats/text/yaml-text.js';
import { unmarkedConfig } from './config-mark.js';
import { idOf } from './meaning.js';

/** Only where the mark of the hidden text is that of the other's; the rest stays hidden, as what it is: another text. */
export function withHiddenValues(saved: string, current: string): string {
  if (!saved.includes(REDACTED)) return saved;
  const { text, mark } = unmarkedConfig(saved);
  const known = documentsOf(unmarkedConfig(current).text);
  const marks = redactDocuments(known);
  const filled = documentsOf(text).map((document) => {
    const index = known.findIndex((other) => idOf(other) === idOf(document));
    const whole = index === -1 ? document : fill(document, marks[index], known[index]);
    return isMapping(whole) ? whole : document;
  });
  const config = formatTalosDocuments(filled);
  return mark === undefined ? config : `# oxherd ${mark}\n${config}`;
}

function documentsOf(text: string): Mapping[] {
  return readYamlDocuments(text).filter(isMapping);
}

function fill(value: unknown, mark: unknown, known: unknown): unknown {
  if (Array.isArray(value)) {
    const [marks, others]: unknown[][] = [mark, known].map((list) => (Array.isArray(list) ? list : []));
    return value.map((item: unknown, index) => fill(item, marks?.[index], others?.[index]));
  }
  if (isMapping(value)) {
    const [marks, others] = [mark, known].map((part) => (isMapping(part) ? part : {}));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, fill(item, marks?.[key], others?.[key])]),
    );
  }
  const isHidden = typeof value === 'string' && value.includes(REDACTED);
  return isHidden && value === mark ? known : value;
}
