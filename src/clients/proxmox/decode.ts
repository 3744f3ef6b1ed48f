/**
 * Reads answers into our own types. Proxmox gives numbers as text and text as numbers (`memory: "2048"`, `cores: 2`,
 * nextid `"100"`), booleans as 0 and 1, and leaves out what is empty: readers take all of it.
 */
import { isMapping, setOwn } from '../../formats/text/mapping.js';
import { ProxmoxError } from './errors.js';

export type Json = Readonly<Record<string, unknown>>;

export function asRecord(value: unknown, what: string): Json {
  if (isMapping(value)) return value;
  throw unexpected(what, 'an object', value);
}

export function asList<T>(value: unknown, what: string, read: (item: Json) => T): T[] {
  // An empty list is null in places.
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw unexpected(what, 'a list', value);
  return value.map((item) => read(asRecord(item, what)));
}

export function asText(value: unknown, what: string): string {
  const read = toText(value);
  if (read === undefined) throw unexpected(what, 'text', value);
  return read;
}

export function asNumber(value: unknown, what: string): number {
  const read = toNumber(value);
  if (read === undefined) throw unexpected(what, 'a number', value);
  return read;
}

export function text(record: Json, key: string): string {
  return asText(record[key], key);
}

export function optionalText(record: Json, key: string): string | undefined {
  return toText(record[key]);
}

export function number(record: Json, key: string): number {
  return asNumber(record[key], key);
}

export function optionalNumber(record: Json, key: string): number | undefined {
  return toNumber(record[key]);
}

export function flag(record: Json, key: string): boolean {
  const value = record[key];
  return value === true || value === 1 || value === '1';
}

/** Comma lists: `content`, `privs`. */
export function commaList(record: Json, key: string): string[] {
  return (toText(record[key]) ?? '').split(',').filter(Boolean).sort();
}

/** All values as text, as a VM's config file has them. */
export function textValues(record: Json): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [key, value] of Object.entries(record)) {
    const read = toText(value);
    if (read !== undefined) setOwn(values, key, read);
  }
  return values;
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(Number(value)) : undefined;
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

function unexpected(what: string, wanted: string, value: unknown): ProxmoxError {
  return new ProxmoxError(
    'proxmox.answer',
    `Proxmox answered ${value === null ? 'null' : typeof value} where ${wanted} was expected (${what})`,
    { advice: 'Check that this is Proxmox VE 9; `oxherd doctor` shows the version.' },
  );
}
