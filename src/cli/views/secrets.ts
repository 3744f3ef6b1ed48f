import type { CliContext } from '../context.js';

interface StoredNotice {
  readonly path: string;
  readonly encrypted: boolean;
  readonly fingerprint: string;
  readonly newAgeKeyFile?: string;
}

/** What was written where; never what is in it. */
export function tellStored(context: CliContext, verb: string, stored: StoredNotice): void {
  const { path, encrypted, fingerprint, newAgeKeyFile } = stored;
  if (context.globals.json) {
    context.stdout.write(`${JSON.stringify({ path, encrypted, fingerprint, newAgeKeyFile })}\n`);
    return;
  }
  context.stdout.write(
    `${verb} ${path} (${encrypted ? 'encrypted' : 'plain text, mode 0600'}, cluster ${fingerprint.slice(0, 8)})\n`,
  );
  if (newAgeKeyFile !== undefined) tellAgeKey(context, newAgeKeyFile);
}

export function tellAgeKey(context: CliContext, file: string): void {
  context.stdout.write(`created the age key ${file}: back it up, nothing else decrypts the secrets\n`);
}
