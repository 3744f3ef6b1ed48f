import { isObj, listOf, type Obj, objOf, sameJson, textOf } from '../json.js';
import { duplicateValue, type FieldError } from '../status.js';

/** Lists that are sets or have keys: what stands in them twice (`apiserver/schema/listtype`). */
export function listTypeErrors(value: unknown, openApi: Obj, path: string): FieldError[] {
  if (Array.isArray(value)) {
    return [
      ...repeated(value, openApi, path),
      ...value.flatMap((item, index) => listTypeErrors(item, objOf(openApi.items), `${path}[${index}]`)),
    ];
  }
  if (!isObj(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const field = objOf(openApi.properties)[name];
    if (isObj(field)) return listTypeErrors(item, field, path === '' ? name : `${path}.${name}`);
    return isObj(openApi.additionalProperties)
      ? listTypeErrors(item, openApi.additionalProperties, `${path}[${name}]`)
      : [];
  });
}

function repeated(value: unknown[], openApi: Obj, path: string): FieldError[] {
  const type = openApi['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return [];
  const keys = listOf(openApi['x-kubernetes-list-map-keys']).map(textOf);
  const identity = (item: unknown): unknown =>
    type === 'set'
      ? item
      : Object.fromEntries(keys.map((key) => [key, objOf(item)[key]]).filter(([, of]) => of !== undefined));
  const seen: unknown[] = [];
  const twice: FieldError[] = [];
  value.forEach((item, index) => {
    const own = identity(item);
    // What is there three times is told once.
    const before = seen.filter((one) => sameJson(one, own)).length;
    if (before === 1) twice.push(duplicateValue(`${path}[${index}]`, own));
    seen.push(own);
  });
  return twice;
}
