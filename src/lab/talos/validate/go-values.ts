import { isIP } from 'node:net';
import { readSize } from '../volume-spec.js';

/** Go's readers of texts, with their complaints; `undefined`: the text is fine. */

export function addressProblem(text: string): string | undefined {
  if (isIP(text) !== 0) return undefined;
  const stray = /[^0-9a-fA-F.:%]/.exec(text);
  if (stray && /^\d+\.\d+\.\d+\.\d+/.test(text)) {
    return `ParseAddr(${JSON.stringify(text)}): unexpected character (at ${JSON.stringify(text.slice(stray.index))})`;
  }
  return `ParseAddr(${JSON.stringify(text)}): unable to parse IP`;
}

export function prefixProblem(text: string): string | undefined {
  const quoted = `netip.ParsePrefix(${JSON.stringify(text)})`;
  const [address = '', length, ...more] = text.split('/');
  if (length === undefined) return `${quoted}: no '/'`;
  const family = isIP(address);
  if (family === 0 || more.length > 0) return `${quoted}: ${addressProblem(address) ?? 'bad address'}`;
  if (!/^(0|[1-9]\d*)$/.test(length)) return `${quoted}: bad bits after slash: ${JSON.stringify(length)}`;
  return Number(length) > (family === 4 ? 32 : 128) ? `${quoted}: prefix length out of range` : undefined;
}

export function isPrefix(text: string): boolean {
  return prefixProblem(text) === undefined;
}

export function isDuration(text: string): boolean {
  return /^[-+]?((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+$/.test(text) || /^[-+]?0$/.test(text);
}

/** Sizes: bytes with a unit, or a percentage; a leading minus leaves so much free. */
export function sizeProblem(text: string): string | undefined {
  if (text.includes('%')) {
    return /^\d+(\.\d+)?%$/.test(text) ? undefined : `invalid percentage: ${JSON.stringify(text)}`;
  }
  const positive = text.replace(/^-/, '');
  if (readSize(positive) !== undefined) return undefined;
  const unit = positive.replace(/^[\d.,\s]+/, '').toLowerCase();
  return /^[\d.,]/.test(positive)
    ? `unhandled size name: ${unit}`
    : 'strconv.ParseFloat: parsing "": invalid syntax';
}

/** `>= 100GB` of the old install selector. */
export function diskSizeProblem(text: string): string | undefined {
  const size = text.replace(/^\s*(<=|>=|==|=|<|>)?\s*/, '');
  return readSize(size) === undefined
    ? `failed to parse disk size ${text}: strconv.ParseFloat: parsing "": invalid syntax`
    : undefined;
}

/** What url.Parse refuses of the texts people write for endpoints. */
export function urlProblem(text: string): string | undefined {
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text);
  const first = text.split('/')[0] ?? '';
  if (!scheme && first.includes(':')) {
    return `parse ${JSON.stringify(text)}: first path segment in URL cannot contain colon`;
  }
  return undefined;
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
  return isIP(text) !== 0 || isPrefix(text);
}
