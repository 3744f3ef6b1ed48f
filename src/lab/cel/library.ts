import {
  type CelInput,
  CelScalar,
  type CelValue,
  celFunc,
  celMethod,
  isCelList,
  isCelMap,
  isCelUint,
  listType,
} from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { addresses } from './addresses.js';
import { quantities, versions } from './quantities.js';
import { asInput, inside, tagged } from './tagged.js';

const { DYN, STRING, BOOL, INT } = CelScalar;
const LIST = listType(DYN);

const OPTIONAL = '@optional';

export const some = (value: CelInput): CelInput => tagged(OPTIONAL, [value]);
export const none = (): CelInput => tagged(OPTIONAL, []);

function contentOf(value: CelValue): CelValue | undefined {
  const content = inside(value, OPTIONAL);
  return isCelList(content) ? content.get(0) : undefined;
}

const isOptional = (value: CelValue) => inside(value, OPTIONAL) !== undefined;

function selected(of: CelValue, key: CelValue): CelInput {
  const from = isOptional(of) ? contentOf(of) : of;
  if (from === undefined) return none();
  let found: CelValue | undefined;
  if (isCelMap(from) && (typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean')) {
    found = from.get(key);
  } else if (isCelList(from) && typeof key === 'bigint') found = from.get(Number(key));
  return found === undefined ? none() : some(asInput(found));
}

function optionals() {
  return [
    celFunc('@optSelect', [DYN, DYN], DYN, (of, key) => selected(of, key)),
    celFunc('@optIndex', [DYN, DYN], DYN, (of, key) => selected(of, key)),
    celFunc('optional.of', [DYN], DYN, (value) => some(asInput(value))),
    celFunc('optional.ofNonZeroValue', [DYN], DYN, (value) =>
      isZero(value) ? none() : some(asInput(value)),
    ),
    celFunc('optional.none', [], DYN, () => none()),
    celMethod('hasValue', DYN, [], BOOL, function () {
      return contentOf(this) !== undefined;
    }),
    celMethod('value', DYN, [], DYN, function () {
      const content = contentOf(this);
      if (content === undefined) throw new Error('optional.none() dereference');
      return asInput(content);
    }),
    celMethod('or', DYN, [DYN], DYN, function (other) {
      return asInput(contentOf(this) === undefined ? other : this);
    }),
    celMethod('orValue', DYN, [DYN], DYN, function (other) {
      return asInput(contentOf(this) ?? other);
    }),
  ];
}

function isZero(value: CelValue): boolean {
  if (isCelList(value) || isCelMap(value)) return value.size === 0;
  return value === null || value === '' || value === 0n || value === 0 || value === false;
}

type Ordered = bigint | number | string | boolean;
const plain = (value: CelValue): Ordered =>
  isCelUint(value)
    ? value.value
    : typeof value === 'bigint' ||
        typeof value === 'number' ||
        typeof value === 'boolean' ||
        typeof value === 'string'
      ? value
      : String(value);
const same = (a: CelValue, b: CelValue): boolean => keyText(a) === keyText(b);

/** One text per value: equal values have the same. */
function keyText(value: CelValue): string {
  if (isCelList(value)) return `[${[...value].map(keyText).join()}]`;
  if (isCelMap(value)) {
    return `{${[...value.entries()].map(([key, item]) => `${keyText(key)}:${keyText(item)}`).sort()}}`;
  }
  return value === null ? 'null' : `${typeof value}:${String(plain(value))}`;
}

function extreme(values: CelValue[], better: (a: Ordered, b: Ordered) => boolean, name: string): CelInput {
  const [first, ...rest] = values;
  if (first === undefined) throw new Error(`${name} called on empty list`);
  return asInput(rest.reduce((best, item) => (better(plain(item), plain(best)) ? item : best), first));
}

function total(values: CelValue[]): CelInput {
  if (values.some((value) => typeof value === 'number')) {
    return values.reduce<number>((sum, value) => sum + Number(plain(value)), 0);
  }
  return values.reduce<bigint>((sum, value) => sum + BigInt(plain(value)), 0n);
}

const items = (value: CelValue): CelValue[] => (isCelList(value) ? [...value] : []);

function lists() {
  const holds = (list: CelValue, item: CelValue) => items(list).some((one) => same(one, item));
  const position = (list: CelValue, item: CelValue, last: boolean) => {
    const found = items(list).map((one) => same(one, item));
    return BigInt(last ? found.lastIndexOf(true) : found.indexOf(true));
  };
  return [
    celMethod('isSorted', LIST, [], BOOL, function () {
      const all = items(this).map(plain);
      return all.every((item, index) => index === 0 || (all[index - 1] ?? item) <= item);
    }),
    celMethod('sum', LIST, [], DYN, function () {
      return total(items(this));
    }),
    celMethod('min', LIST, [], DYN, function () {
      return extreme(items(this), (a, b) => a < b, 'min');
    }),
    celMethod('max', LIST, [], DYN, function () {
      return extreme(items(this), (a, b) => a > b, 'max');
    }),
    celMethod('indexOf', LIST, [DYN], INT, function (item) {
      return position(this, item, false);
    }),
    celMethod('lastIndexOf', LIST, [DYN], INT, function (item) {
      return position(this, item, true);
    }),
    celMethod('includes', LIST, [DYN], BOOL, function (item) {
      return holds(this, item);
    }),
    celMethod('distinct', LIST, [], LIST, function () {
      return [...new Map(items(this).map((item) => [keyText(item), asInput(item)])).values()];
    }),
    celMethod('reverse', LIST, [], LIST, function () {
      return items(this).reverse().map(asInput);
    }),
    celMethod('slice', LIST, [INT, INT], LIST, function (from, to) {
      return items(this).slice(Number(from), Number(to)).map(asInput);
    }),
    celMethod('first', LIST, [], DYN, function () {
      return selected(this, 0n);
    }),
    celMethod('last', LIST, [], DYN, function () {
      return selected(this, BigInt(items(this).length - 1));
    }),
    celFunc('lists.range', [INT], LIST, (count) =>
      Array.from({ length: Number(count) }, (_, i) => BigInt(i)),
    ),
    celFunc('sets.contains', [LIST, LIST], BOOL, (a, b) => items(b).every((item) => holds(a, item))),
    celFunc('sets.intersects', [LIST, LIST], BOOL, (a, b) => items(b).some((item) => holds(a, item))),
    celFunc(
      'sets.equivalent',
      [LIST, LIST],
      BOOL,
      (a, b) => items(a).every((item) => holds(b, item)) && items(b).every((item) => holds(a, item)),
    ),
    celMethod('find', STRING, [STRING], STRING, function (pattern) {
      return new RegExp(pattern, 'u').exec(this)?.[0] ?? '';
    }),
    celMethod('findAll', STRING, [STRING], LIST, function (pattern) {
      return [...this.matchAll(new RegExp(pattern, 'gu'))].map(([found]) => found);
    }),
    celMethod('findAll', STRING, [STRING, INT], LIST, function (pattern, count) {
      const found = [...this.matchAll(new RegExp(pattern, 'gu'))].map(([text]) => text);
      return count < 0n ? found : found.slice(0, Number(count));
    }),
  ];
}

/** What Kubernetes' expressions can call beyond the standard library. */
export function kubernetesLibrary() {
  return [...strings, ...optionals(), ...lists(), ...quantities(), ...versions(), ...addresses()];
}
