import { addressProblem, prefixProblem } from '../../../formats/talos/talos-scalars.js';

/** Go's readers of texts that the rules of several documents use. */

export function isPrefix(text: string): boolean {
  return prefixProblem(text) === undefined;
}

/** Endpoints need a scheme and a host (talos-systems/net ValidateEndpointURI). */
export function endpointProblem(text: string): string | undefined {
  const host = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(\[[^\]]*\]|[^/:]*)(?::(\d*))?/.exec(text);
  if (!host || host[1] === '') return 'hostname must not be blank';
  const port = host[2];
  if (port !== undefined && port !== '' && Number(port) > 65_535) return 'port must be between 1 and 65535';
  return undefined;
}

export function isSubnetOrAddress(text: string): boolean {
  return addressProblem(text) === undefined || isPrefix(text);
}
