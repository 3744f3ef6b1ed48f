import { wholeNumber } from '../api/options.js';
import { badRequest, type FieldError, forbiddenValue, invalid, unsupportedValue } from '../status.js';

/** Numbers first, then what does not go together (`apimachinery/pkg/apis/meta/internalversion/validation`). */
export function checkListOptions(query: URLSearchParams, watching: boolean): void {
  wholeNumber(query, 'timeoutSeconds');
  wholeNumber(query, 'limit');
  const errors = watching ? watchErrors(query) : listErrors(query);
  if (errors.length > 0) throw invalid('meta.k8s.io', 'ListOptions', '', errors);
  const version = query.get('resourceVersion') ?? '';
  if (!watching && query.get('continue') && version !== '' && version !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
}

const MATCH = 'resourceVersionMatch';
const CONTINUED = forbiddenValue(MATCH, 'resourceVersionMatch is forbidden when continue is provided');

function listErrors(query: URLSearchParams): FieldError[] {
  const match = query.get(MATCH) ?? '';
  const version = query.get('resourceVersion') ?? '';
  const errors: FieldError[] = [];
  if (match !== '') {
    if (version === '') {
      const detail = 'resourceVersionMatch is forbidden unless resourceVersion is provided';
      errors.push(forbiddenValue(MATCH, detail));
    }
    if (query.get('continue')) errors.push(CONTINUED);
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(unsupportedValue(MATCH, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && version === '0') {
      errors.push(forbiddenValue(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (query.has('sendInitialEvents')) {
    errors.push(forbiddenValue('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

function watchErrors(query: URLSearchParams): FieldError[] {
  const match = query.get(MATCH) ?? '';
  const initial = query.has('sendInitialEvents');
  const errors: FieldError[] = [];
  if (initial && match !== 'NotOlderThan') {
    const detail = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    errors.push(forbiddenValue(MATCH, detail));
  }
  if (match !== '' && !initial) {
    const detail = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    errors.push(forbiddenValue(MATCH, detail));
  }
  if (match !== '' && match !== 'NotOlderThan') {
    errors.push(unsupportedValue(MATCH, match, ['NotOlderThan']));
  }
  if (query.get('continue')) errors.push(CONTINUED);
  return errors;
}
