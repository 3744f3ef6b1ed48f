/** What is left of a text when a firewall's file has been written and read again. */
import { addressBits } from './net-ip.js';
import type { IpSetEntry } from './records.js';

/** One line, without space around it. */
export function fileComment(text: string | number | undefined): { comment?: string } {
  const comment = String(text ?? '').trim();
  return comment === '' || text === '0' ? {} : { comment };
}

/** A network of one address is the address. */
export function fileAddress(cidr: string): string {
  return cidr.includes(':') ? cidr.replace(/\/128$/, '') : cidr.replace(/\/32$/, '');
}

/** Without the bits behind the prefix. */
export function cleanNetwork(cidr: string): string {
  const [address = '', length] = cidr.split('/');
  if (!Number(length)) return cidr;
  const bits = addressBits(address);
  const masked = bits.slice(0, Number(length)).padEnd(bits.length, '0');
  return `${masked.length === 32 ? dotted(masked) : compressed(masked)}/${length}`;
}

const pieces = (bits: string, size: number) =>
  Array.from({ length: bits.length / size }, (_, index) =>
    Number.parseInt(bits.slice(index * size, (index + 1) * size), 2),
  );

const dotted = (bits: string) => pieces(bits, 8).join('.');

/** The longest row of zeros is left out. */
function compressed(bits: string): string {
  const text = pieces(bits, 16)
    .map((piece) => piece.toString(16))
    .join(':');
  const rows = [...text.matchAll(/(?:^|:)0(?::0)+(?::|$)/g)].map(([row]) => row);
  const longest = rows.reduce((best, row) => (row.length > best.length ? row : best), '');
  return longest === '' ? text : text.replace(longest, '::');
}

/** By address, as they are written. */
export function fileEntries(entries: readonly IpSetEntry[]): IpSetEntry[] {
  return [...entries].sort((a, b) => (a.cidr < b.cidr ? -1 : 1));
}
