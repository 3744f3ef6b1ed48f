import { numberOf, objOf } from '../../json.js';
import { invalidValue } from '../../status.js';
import type { KindRules } from '../resource-type.js';

/** Parts of a whole are no more than it (`pkg/apis/apps/validation`). */
export function statusCounts(...fields: readonly string[]): Pick<KindRules, 'validateStatus'> {
  return {
    validateStatus({ status }) {
      const count = (field: string) => numberOf(objOf(status)[field]);
      const over = (field: string, whole: string, told: string) =>
        count(field) > count(whole)
          ? [invalidValue(`status.${field}`, count(field), `cannot be greater than ${told}`)]
          : [];
      return [
        ...fields.flatMap((field) => over(field, 'replicas', 'status.replicas')),
        ...over('availableReplicas', 'readyReplicas', 'readyReplicas'),
      ];
    },
  };
}
