import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fill } from './api-call.js';
import { encodeParams, hostOfPath } from './encode.js';

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

  it('puts path variables into the path, each within its segment, and the rest into the parameters', () => {
    const volume = 'local:iso/a b.iso';
    const method = 'DELETE /nodes/{node}/storage/{storage}/content/{volume}';
    expect(fill(method, { node: 'pve1', storage: 'local', volume, delay: 5 })).toEqual({
      verb: 'DELETE',
      path: '/nodes/pve1/storage/local/content/local:iso%2Fa%20b.iso',
      rest: { delay: 5 },
    });
    expect(fill('GET /access/users/{userid}', { userid: 'a@pve' }).path).toBe('/access/users/a@pve');
    expect(() => fill('GET /access/users/{userid}', { userid: '' })).toThrow('needs userid');
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const segments = fill('GET /nodes/{node}/status', { node: text }).path.split('/');
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
