/** Strategic merge of one document into another, by the rules of Talos' config/merge (v1.14.1). */

import { isMapping, type Mapping, ownValue, setOwn } from '../text/mapping.js';
import { isZeroText } from './talos-scalars.js';
import { type Field, type Shape, structOf } from './talos-shapes.js';

/** How two items of a list are the same one; lists not named here append. */
const LIST_KEYS: Readonly<Record<string, (item: Mapping) => string | undefined>> = {
  'v1alpha1.Device': (device) =>
    device.interface
      ? `interface ${device.interface}`
      : device.deviceSelector
        ? `selector ${stable(device.deviceSelector)}`
        : undefined,
  'v1alpha1.Vlan': (vlan) => String(vlan.vlanId ?? 0),
  'v1alpha1.AdmissionPluginConfig': (plugin) => String(plugin.name ?? ''),
  'extensions.ConfigFile': (file) => String(file.mountPath ?? ''),
  'security.ImageVerificationRuleV1Alpha1': (rule) => String(rule.image ?? ''),
};

/** Items of these lists are put in the place of the old one, not merged into it. */
const REPLACED_ITEMS = new Set(['security.ImageVerificationRuleV1Alpha1']);

/** Types whose merge takes the other side even where it is empty: this is how patches lose selectors and sizes. */
const ERASED_BY_ABSENCE = new Set(['cel.Expression', 'block.ByteSize']);

/** `undefined` is Go's zero value: the key was not written. */
export function mergeValue(left: unknown, right: unknown, field: Field, overwrite = false): unknown {
  const { shape, replace } = field;
  switch (shape.kind) {
    case 'pointer':
      if (absent(right)) return left;
      return absent(left) ? right : mergeValue(left, right, { ...field, shape: shape.to }, true);
    case 'list':
      return mergeList(left, right, shape, replace);
    case 'map':
      return mergeMap(left, right, shape, replace);
    case 'struct':
      return mergeStruct(left, right, shape.name, replace);
    case 'any':
      return mergeAny(left, right);
    case 'opaque':
      if (ERASED_BY_ABSENCE.has(shape.name)) return absent(right) || right === '' ? undefined : right;
      if (absent(right) || (!overwrite && isZeroText(shape.name, String(right)))) return left;
      return shape.name === 'block.Size' ? mergeSize(left, right) : right;
    case 'scalar':
      // A boolean that is not optional is false where the patch does not name it.
      if (shape.scalar === 'bool') return absent(right) ? (absent(left) ? left : false) : right;
      return absent(right) || (!overwrite && isZero(right)) ? left : right;
  }
}

/** Talos keeps bytes and percentage side by side, and bytes win. */
function mergeSize(left: unknown, right: unknown): unknown {
  const isPercentage = (value: unknown): boolean => String(value).includes('%');
  return !absent(left) && !isPercentage(left) && isPercentage(right) ? left : right;
}

function mergeStruct(left: unknown, right: unknown, name: string, replace: boolean): unknown {
  if (absent(left) && absent(right)) return left;
  const patch = isMapping(right) ? right : {};
  if (replace) return isZero(right) ? left : right;
  const base = isMapping(left) ? left : {};
  const struct = structOf(name);
  const result: Mapping = { ...base };
  for (const [key, field] of struct.fields) {
    const merged = mergeValue(base[key], patch[key], field);
    if (merged === undefined) delete result[key];
    else result[key] = merged;
  }
  if (struct.open) return mergeAny(base, patch);
  return Object.keys(result).length === 0 && Object.keys(base).length > 0 ? undefined : result;
}

function mergeList(
  left: unknown,
  right: unknown,
  shape: Extract<Shape, { kind: 'list' }>,
  replace: boolean,
): unknown {
  if (absent(right) || !Array.isArray(right)) return left;
  const base: unknown[] = Array.isArray(left) ? left : [];
  if (replace) return right;
  const item = shape.item.kind === 'pointer' ? shape.item.to : shape.item;
  const name = item.kind === 'struct' ? item.name : '';
  const keyOf = shape.mergesItself ? LIST_KEYS[name] : undefined;
  if (!keyOf) return [...base, ...right];
  const result = [...base];
  for (const added of right) {
    const key = isMapping(added) ? keyOf(added) : undefined;
    const at = key === undefined ? -1 : result.findIndex((entry) => isMapping(entry) && keyOf(entry) === key);
    if (at < 0) result.push(added);
    else if (REPLACED_ITEMS.has(name)) result[at] = added;
    else result[at] = mergeValue(result[at], added, { shape: item, replace: false, alwaysWritten: false });
  }
  return result;
}

function mergeMap(
  left: unknown,
  right: unknown,
  shape: Extract<Shape, { kind: 'map' }>,
  replace: boolean,
): unknown {
  if (absent(right) || !isMapping(right)) return left;
  const base = isMapping(left) ? left : {};
  if (replace) return right;
  const result: Mapping = { ...base };
  for (const [key, value] of Object.entries(right)) {
    const field = { shape: shape.item, replace: false, alwaysWritten: false };
    const before = ownValue(base, key);
    const keep = absent(before) || shape.mergesItself;
    setOwn(result, key, keep ? value : mergeValue(before, value, field));
  }
  return result;
}

/** Free-form values: mappings by key, lists append, empty scalars do nothing. */
function mergeAny(left: unknown, right: unknown): unknown {
  if (absent(right)) return left;
  if (absent(left)) return right;
  if (isMapping(left) && isMapping(right)) {
    const result: Mapping = { ...left };
    for (const [key, value] of Object.entries(right))
      setOwn(result, key, mergeAny(ownValue(left, key), value));
    return result;
  }
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  return typeof right !== 'boolean' && isZero(right) ? left : right;
}

function absent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function isZero(value: unknown): boolean {
  if (absent(value) || value === '' || value === 0 || value === false) return true;
  return isMapping(value) && Object.values(value).every(isZero);
}

function stable(value: unknown): string {
  if (!isMapping(value)) return JSON.stringify(value);
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
