/** A config that Talos refuses; the message is what its API answers. */
export class ConfigError extends Error {}

/** Errors as Go's multierror prints them. */
export function multiError(errors: readonly string[]): string {
  const head = errors.length === 1 ? '1 error occurred:' : `${errors.length} errors occurred:`;
  return `${head}\n\t* ${errors.join('\n\t* ')}\n\n`;
}
