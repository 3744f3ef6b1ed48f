import { describe, expect, it } from 'vitest';
import { findRoute } from './router.js';

const route = (verb: string, path: string) => {
  const found = findRoute(verb, path);
  return found && [found.method.path, found.variables];
};

describe('routes', () => {
  it('have variables', () => {
    expect(route('GET', '/nodes/pve1/qemu/100/config')).toEqual([
      '/nodes/{node}/qemu/{vmid}/config',
      { node: 'pve1', vmid: '100' },
    ]);
  });

  it('do not mind slashes too many', () => {
    expect(route('DELETE', '//nodes/pve1//qemu/100/')).toEqual([
      '/nodes/{node}/qemu/{vmid}',
      { node: 'pve1', vmid: '100' },
    ]);
  });

  it('take a volume id with its slashes', () => {
    expect(route('GET', '/nodes/pve1/storage/local/content/local:iso/talos.iso')).toEqual([
      '/nodes/{node}/storage/{storage}/content/{volume}',
      { node: 'pve1', storage: 'local', volume: 'local:iso/talos.iso' },
    ]);
  });

  it('take a network with its slash', () => {
    for (const place of ['/cluster/firewall', '/nodes/pve1/qemu/100/firewall']) {
      const found = findRoute('DELETE', `${place}/ipset/lan/2001:db8::/64`);
      expect(found?.variables).toMatchObject({ name: 'lan', cidr: '2001:db8::/64' });
    }
  });

  it('are none for unknown methods, unknown paths and blanks', () => {
    expect(route('POST', '/version')).toBeUndefined();
    expect(route('GET', '/nodes/pve1/nope')).toBeUndefined();
    expect(route('GET', '/version/more')).toBeUndefined();
    expect(route('GET', '/nodes/a b/qemu')).toBeUndefined();
  });

  it('of a few methods take whatever is sent', () => {
    expect(findRoute('GET', '/cluster/firewall/options')?.method.parameters).toEqual({});
    expect(findRoute('GET', '/cluster/options')?.method.parameters).not.toEqual({});
  });
});
