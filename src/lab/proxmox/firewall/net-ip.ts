/** What Perl's Net::IP says of an address, a network or a range: the firewall passes its texts on. */

export type IpVersion = 4 | 6;

class Refused extends Error {}

const refuse = (text: string): never => {
  throw new Refused(text);
};

/** `undefined`: Net::IP takes it. */
export function netIpProblem(text: string): string | undefined {
  return problemOf(() => checkSpan(text));
}

/** The same with the bits behind the prefix cleared first, as members of sets and aliases may have them. */
export function networkProblem(address: string, length: string | undefined): string | undefined {
  return problemOf(() => {
    const binary = addressBits(address);
    if (Number(length ?? 0) > binary.length) refuseLength(String(length), binary);
  });
}

function problemOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

function refuseLength(length: string, binary: string): never {
  return refuse(`Prefix length ${length} is longer than IP address (${binary.length})`);
}

function checkSpan(text: string): void {
  const [, network, prefixes] = /^(\S+?)(\/\S+)$/.exec(text) ?? [];
  if (network !== undefined && prefixes !== undefined) {
    checkPrefixes(addressBits(network), prefixes);
    return;
  }
  const [, from, to] = /^(.+?)\s*-\s*(.+)$/.exec(text) ?? [];
  if (from === undefined || to === undefined) {
    addressBits(text);
    return;
  }
  const first = addressBits(from);
  const version = versionOf(from);
  if (version === 4) checkQuads(to);
  if (versionOf(to) !== version) {
    refuse(`Begin and End addresses have different IP versions - ${from} - ${to}`);
  }
  if (first > addressBits(to)) {
    refuse(`Begin address is greater than End address ${expanded(from)} - ${expanded(to)}`);
  }
}

/** Several prefixes follow each other with commas; whatever comes after the last good one is not looked at. */
function checkPrefixes(binary: string, prefixes: string): void {
  const [, length] = /^\/(\d+)(?:,|$)/.exec(prefixes) ?? [];
  if (length === undefined) return;
  if (Number(length) > binary.length) refuseLength(length, binary);
  if (!/^0*$/.test(binary.slice(Number(length)))) refuse(`Invalid prefix ${binary}/${length}`);
}

function versionOf(address: string): IpVersion {
  if (address.includes(':')) {
    checkV6(address);
    return 6;
  }
  checkV4(address);
  return 4;
}

function checkV4(address: string): void {
  if (!/^[\d.]+$/.test(address)) refuse(`Invalid chars in IP ${address}`);
  if (address.startsWith('.')) refuse(`Invalid IP ${address} - starts with a dot`);
  if (address.endsWith('.')) refuse(`Invalid IP ${address} - ends with a dot`);
  const quads = address.split('.');
  if (quads.length > 4) refuse(`Invalid IP address ${address}`);
  if (quads.includes('')) refuse(`Empty quad in IP address ${address}`);
  const bad = quads.find((quad) => Number(quad) > 255);
  if (bad !== undefined) refuse(`Invalid quad in IP address ${address} - ${bad}`);
  checkQuads(address);
}

function checkQuads(address: string): void {
  if (!address.split('.').every((quad) => /^\d{1,3}$/.test(quad)))
    refuse(`Not a valid IPv4 address ${address}`);
}

function checkV6(address: string): void {
  const words = address.split(':');
  let colons = words.length - 1;
  if (colons > 7) refuse('');
  for (const [index, word] of words.entries()) {
    if (word === '' || /^[a-f\d]{1,4}$/i.test(word)) continue;
    const last = index === words.length - 1;
    if (!last || problemOf(() => checkV4(word)) !== undefined) refuse(`Invalid IP address ${address}`);
    colons += 1;
  }
  if (/^:[^:]/.test(address)) refuse(`Invalid address ${address} (starts with :)`);
  if (/[^:]:$/.test(address)) refuse(`Invalid address ${address} (ends with :)`);
  if ((address.match(/:(?=:)/g) ?? []).length > 1) {
    refuse(`Invalid address ${address} (More than one :: pattern)`);
  }
  if (colons !== 7 && !address.includes('::')) refuse(`Invalid number of octets ${address}`);
}

/** An address with fewer than four numbers ends with zeros. */
const quadsOf = (address: string) => address.split('.').concat(['0', '0', '0']).slice(0, 4).map(Number);

function wordsOf(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const list = (part: string) =>
    part
      .split(':')
      .filter((word) => word !== '')
      .flatMap((word) => (word.includes('.') ? embedded(word) : [word.toLowerCase().padStart(4, '0')]));
  const before = list(head);
  const after = list(tail ?? '');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0000');
  return [...before, ...zeros, ...after];
}

function embedded(address: string): string[] {
  const hex = quadsOf(address)
    .map((quad) => quad.toString(16).padStart(2, '0'))
    .join('');
  return [hex.slice(0, 4), hex.slice(4)];
}

const expanded = (address: string) =>
  address.includes(':') ? wordsOf(address).join(':') : quadsOf(address).join('.');

export function addressBits(address: string): string {
  return versionOf(address) === 4
    ? quadsOf(address)
        .map((quad) => quad.toString(2).padStart(8, '0'))
        .join('')
    : wordsOf(address)
        .map((word) => Number.parseInt(word, 16).toString(2).padStart(16, '0'))
        .join('');
}
