/** Where the secrets of a command's cluster are. */
import type { SecretsPlace } from '../secrets/locate.js';
import { type ClusterName, placeOf } from '../session/secrets/secrets-files.js';
import type { CliContext } from './context.js';
import { requireConfig } from './require-config.js';

/** Secrets of a real cluster are found beside the config, valid or not; those of the lab by the cluster's name. */
export function clusterOf(context: CliContext): ClusterName {
  return context.target.kind === 'lab' ? requireConfig(context).config.cluster : { name: '', env: '' };
}

export function secretsPlaceOf(context: CliContext): SecretsPlace {
  return placeOf(context, clusterOf(context));
}
