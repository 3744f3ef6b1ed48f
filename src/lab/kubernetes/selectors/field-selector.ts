import type { ResourceType } from '../kinds/resource-type.js';
import type { KubeObject } from '../object.js';
import { badRequest } from '../status.js';

type FieldMatcher = (object: KubeObject) => boolean;

/** `spec.nodeName=n1,status.phase!=Failed`; only the fields a kind offers. */
export function parseFieldSelector(text: string, type: ResourceType): FieldMatcher {
  const terms = text
    .split(/(?<!\\),/)
    .filter((term) => term !== '')
    .map((term) => {
      const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
      if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      const [, field = '', operator, value = ''] = match;
      return { field, equal: operator !== '!=', value: value.replace(/\\([,=\\])/g, '$1') };
    });
  const offered = new Set(Object.keys(labelsOf(EMPTY, type)));
  for (const { field } of terms) {
    if (!offered.has(field)) throw badRequest(unknownField(field, type));
  }
  return (object) => {
    const labels = labelsOf(object, type);
    return terms.every(({ field, equal, value }) => (labels[field] === value) === equal);
  };
}

/** Kinds with fields of their own say it in one way, all others in another. */
function unknownField(field: string, type: ResourceType): string {
  if (type.kind === 'Job') return `field label "${field}" not supported for Job`;
  if (type.rules.fieldLabels || type.custom) return `field label not supported: ${field}`;
  return `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

const EMPTY: KubeObject = { apiVersion: '', kind: '', metadata: { name: '' } };

function labelsOf(object: KubeObject, type: ResourceType): Record<string, string> {
  return {
    'metadata.name': object.metadata.name,
    ...(type.namespaced ? { 'metadata.namespace': object.metadata.namespace ?? '' } : {}),
    ...type.rules.fieldLabels?.(object),
  };
}
