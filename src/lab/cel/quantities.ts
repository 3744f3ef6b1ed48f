import { CelScalar, type CelValue, celFunc, celMethod } from '@bufbuild/cel';
import { canonicalQuantity, parseQuantity, quantityFault } from '../kubernetes/schema/quantity.js';
import { inside, tagged } from './tagged.js';

const { DYN, STRING, BOOL, INT, DOUBLE } = CelScalar;
const QUANTITY = '@quantity';
const VERSION = '@semver';

const NANO = 1_000_000_000n;
const nanoOf = (value: CelValue): bigint => {
  const nano = inside(value, QUANTITY);
  return typeof nano === 'bigint' ? nano : typeof value === 'bigint' ? value * NANO : 0n;
};

export function quantities() {
  const order = (a: bigint, b: bigint) => (a < b ? -1n : a > b ? 1n : 0n);
  return [
    celFunc('quantity', [STRING], DYN, (text) => {
      const fault = quantityFault(text);
      if (fault) throw new Error(fault);
      return tagged(QUANTITY, parseQuantity(canonicalQuantity(text))?.nano ?? 0n);
    }),
    celFunc('isQuantity', [STRING], BOOL, (text) => quantityFault(text) === undefined),
    celMethod('sign', DYN, [], INT, function () {
      return order(nanoOf(this), 0n);
    }),
    celMethod('isInteger', DYN, [], BOOL, function () {
      return nanoOf(this) % NANO === 0n;
    }),
    celMethod('asInteger', DYN, [], INT, function () {
      if (nanoOf(this) % NANO !== 0n) throw new Error('cannot convert value to integer');
      return nanoOf(this) / NANO;
    }),
    celMethod('asApproximateFloat', DYN, [], DOUBLE, function () {
      return Number(nanoOf(this)) / 1e9;
    }),
    celMethod('add', DYN, [DYN], DYN, function (other) {
      return tagged(QUANTITY, nanoOf(this) + nanoOf(other));
    }),
    celMethod('sub', DYN, [DYN], DYN, function (other) {
      return tagged(QUANTITY, nanoOf(this) - nanoOf(other));
    }),
    celMethod('isGreaterThan', DYN, [DYN], BOOL, function (other) {
      return comparedTo(this, other) > 0;
    }),
    celMethod('isLessThan', DYN, [DYN], BOOL, function (other) {
      return comparedTo(this, other) < 0;
    }),
    celMethod('compareTo', DYN, [DYN], INT, function (other) {
      return BigInt(comparedTo(this, other));
    }),
  ];
}

function comparedTo(a: CelValue, b: CelValue): number {
  const [left, right] = [inside(a, VERSION), inside(b, VERSION)];
  if (typeof left === 'string' && typeof right === 'string') return compareVersions(left, right);
  const [x, y] = [nanoOf(a), nanoOf(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

const SEMVER = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([\w.-]+))?(?:\+[\w.-]+)?$/;

function compareVersions(a: string, b: string): number {
  const [left, right] = [SEMVER.exec(a), SEMVER.exec(b)];
  for (const part of [1, 2, 3]) {
    const difference = Number(left?.[part]) - Number(right?.[part]);
    if (difference !== 0) return Math.sign(difference);
  }
  const [early, late] = [left?.[4], right?.[4]];
  if (early === late) return 0;
  if (early === undefined || late === undefined) return early === undefined ? 1 : -1;
  return early.localeCompare(late, 'en', { numeric: true }) < 0 ? -1 : 1;
}

export function versions() {
  const part = (value: CelValue, index: number) => {
    const text = inside(value, VERSION);
    return BigInt(SEMVER.exec(typeof text === 'string' ? text : '')?.[index] ?? 0);
  };
  return [
    celFunc('semver', [STRING], DYN, (text) => {
      if (!SEMVER.test(text)) throw new Error('No Major.Minor.Patch elements found');
      return tagged(VERSION, text);
    }),
    celFunc('isSemver', [STRING], BOOL, (text) => SEMVER.test(text)),
    ...['major', 'minor', 'patch'].map((name, index) =>
      celMethod(name, DYN, [], INT, function () {
        return part(this, index + 1);
      }),
    ),
  ];
}
