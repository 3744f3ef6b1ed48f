import { rulesEngine } from '../cel/engine.js';
import { isObj, listOf, type Obj, textOf } from '../json.js';
import { listTypeErrors } from '../schema/list-types.js';
import { openApiDefaults } from '../schema/open-api.js';
import { openApiErrors } from '../schema/open-api-errors.js';
import { type FieldError, invalidValue } from '../status.js';
import type { KindRules } from './resource-type.js';

const UNCHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
/** Faults that leave a rule nothing to look at. */
const BLOCKING: readonly FieldError['type'][] = [
  'NotSupported',
  'Required',
  'TooLong',
  'TooMany',
  'TypeInvalid',
];

const COMMON = new Set(['apiVersion', 'kind', 'metadata']);

/** Objects of a kind that a CustomResourceDefinition brought: defaults and checks come from its schema. */
export function customRules(openApi: Obj, statusApart: boolean): KindRules {
  const ruled = hasRules(openApi);
  // Definitions of many projects require `metadata` too, which every object has and other rules judge.
  const ownSchema = {
    ...openApi,
    required: listOf(openApi.required).filter((key) => !COMMON.has(textOf(key))),
  };
  return {
    generation: true,
    conditionalUpdate: true,
    statusOnCreate: !statusApart,
    expressions: ruled,
    defaults(draft) {
      const filled = openApiDefaults(draft, openApi);
      if (isObj(filled)) Object.assign(draft, filled);
    },
    admitUpdate(draft, old) {
      if (!statusApart) return;
      if (old.status === undefined) delete draft.status;
      else draft.status = old.status;
    },
    validate(object, old, warn) {
      const own = ownPart(object);
      const errors = openApiErrors(own, ownSchema, '', old && ownPart(old));
      if (!old || listTypeErrors(ownPart(old), openApi, '').length === 0) {
        errors.push(...listTypeErrors(own, openApi, ''));
      }
      if (!ruled) return errors;
      if (errors.some(({ type }) => BLOCKING.includes(type))) {
        return [...errors, invalidValue('<nil>', undefined, UNCHECKED)];
      }
      return [
        ...errors,
        ...(rulesEngine()?.objectRuleErrors(openApi, object, old, warn ?? (() => {})) ?? []),
      ];
    },
  };
}

function ownPart({ apiVersion: _a, kind: _k, metadata: _m, ...own }: Obj): Obj {
  return own;
}

/** Whether a schema has rules anywhere. */
function hasRules(openApi: unknown): boolean {
  if (Array.isArray(openApi)) return openApi.some(hasRules);
  if (!isObj(openApi)) return false;
  return Array.isArray(openApi['x-kubernetes-validations']) || Object.values(openApi).some(hasRules);
}
