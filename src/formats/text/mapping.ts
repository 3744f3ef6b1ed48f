/** A mapping in YAML or JSON whose values are not known yet. */
export type Mapping = Record<string, unknown>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a key that the mapping itself has. `mapping[key]` also finds what all objects inherit: `constructor`, `__proto__`. */
export function ownValue<T>(mapping: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(mapping, key) ? mapping[key] : undefined;
}

/** Writes a key whatever it is called. An assignment to `__proto__` changes the prototype instead. */
export function setOwn<T>(mapping: Record<string, T>, key: string, value: NoInfer<T>): void {
  if (key === '__proto__')
    Object.defineProperty(mapping, key, { value, enumerable: true, configurable: true, writable: true });
  else mapping[key] = value;
}
