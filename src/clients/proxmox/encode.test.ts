import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apiPath, encodeParams, hostOfPath } from './encode.js';

describe('requests as Proxmox wants them', () => {
  it('writes booleans as 0 and 1, repeats lists, leaves out what is undefined', () => {
    expect(encodeParams({ start: true, numa: false, pool: undefined, map: ['a', 'b'], cores: 2 })).toBe(
      'start=1&numa=0&map=a&map=b&cores=2',
    );
  });

  it('is read back as it was', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string()), (params) => {
        const read = Object.fromEntries(new URLSearchParams(encodeParams(params)));
        expect(read).toEqual({ ...params });
      }),
    );
  });

  it('keeps a value within its segment', () => {
    expect(apiPath`/nodes/${'pve1'}/storage/${'local'}/content/${'local:iso/a b.iso'}`).toBe(
      '/nodes/pve1/storage/local/content/local:iso%2Fa%20b.iso',
    );
    expect(apiPath`/access/users/${'a@pve'}/token/${'x'}`).toBe('/access/users/a@pve/token/x');
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const segments = apiPath`/nodes/${text}/status`.split('/');
        expect(segments).toHaveLength(4);
        expect(decodeURIComponent(segments[2] ?? '')).toBe(text);
      }),
    );
  });

  it('knows the host that a path is about', () => {
    expect(hostOfPath('/nodes/pve1/qemu/100/config')).toBe('pve1');
    expect(hostOfPath('/nodes')).toBe('');
    expect(hostOfPath('/cluster/resources')).toBe('');
  });
});
