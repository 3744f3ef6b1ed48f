/** The flags of every command that reads or writes snapshots in a bucket. */
import type { CommandSpec } from './command-spec.js';

export const S3_OPTIONS: NonNullable<CommandSpec['options']> = [
  {
    flags: '--endpoint <url>',
    description: 'of an S3-compatible store; default: AWS_ENDPOINT_URL, else Amazon S3',
  },
  { flags: '--region <name>', description: 'default: AWS_REGION, else us-east-1' },
  {
    flags: '--access-key <ref>',
    description: 'where the key is: env:NAME, file:PATH or sops:PATH#key; default: env:AWS_ACCESS_KEY_ID',
  },
  {
    flags: '--secret-key <ref>',
    description: 'where the secret is, in the same forms; default: env:AWS_SECRET_ACCESS_KEY',
  },
  { flags: '--plain-http', description: 'accept an endpoint that is not encrypted' },
];
