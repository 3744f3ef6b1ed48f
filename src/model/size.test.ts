import { expect, it } from 'vitest';
import { type Bytes, formatProxmoxSize, formatSize } from './size.js';

it('prints the largest unit that keeps the number whole; nothing is 0B, and 0T for Proxmox', () => {
  const sizes = [0, 528 * 1024, 20 * 1024 ** 3, 1500].map((size) => size as Bytes);
  expect(sizes.map(formatSize)).toEqual(['0B', '528KiB', '20GiB', '1500B']);
  expect(sizes.map(formatProxmoxSize)).toEqual(['0T', '528K', '20G', '1500']);
});
