import { isObj, listOf, type Obj, textOf } from '../json.js';
import { openApiDefaults, openApiErrors } from '../schema/open-api.js';
import type { KindRules } from './resource-type.js';

const COMMON = new Set(['apiVersion', 'kind', 'metadata']);

/** Objects of a kind that a CustomResourceDefinition brought: defaults and checks come from its schema. */
export function customRules(openApi: Obj, statusApart: boolean): KindRules {
  // Definitions of many projects require `metadata` too, which every object has and other rules judge.
  const ownSchema = {
    ...openApi,
    required: listOf(openApi.required).filter((key) => !COMMON.has(textOf(key))),
  };
  return {
    generation: true,
    conditionalUpdate: true,
    statusOnCreate: !statusApart,
    defaults(draft) {
      const filled = openApiDefaults(draft, openApi);
      if (isObj(filled)) Object.assign(draft, filled);
    },
    admitUpdate(draft, old) {
      if (!statusApart) return;
      if (old.status === undefined) delete draft.status;
      else draft.status = old.status;
    },
    validate(object) {
      const { apiVersion: _a, kind: _k, metadata: _m, ...own } = object;
      return openApiErrors(own, ownSchema, '');
    },
  };
}
