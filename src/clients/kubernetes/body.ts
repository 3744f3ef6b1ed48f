/** Reading answers whose shape only the server knows. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The server has checked it against the kind's schema: this is the one place where we take its word. */
export function shaped<T>(body: unknown): T {
  return body as T;
}

export function objectAt(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function textAt(value: unknown, field: string): string {
  const found = objectAt(value)[field];
  return typeof found === 'string' ? found : '';
}

export function listAt(value: unknown, field: string): unknown[] {
  const found = objectAt(value)[field];
  return Array.isArray(found) ? found : [];
}
