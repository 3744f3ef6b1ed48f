import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeconfigAccess } from './kubeconfig.js';

const folder = mkdtempSync(join(tmpdir(), 'oxherd-kubeconfig-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function accessOf(server: string) {
  const path = join(folder, 'config');
  writeFileSync(
    path,
    JSON.stringify({
      'current-context': 'here',
      contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': btoa('ca') } }],
      users: [{ name: 'u', user: { token: 'secret' } }],
    }),
  );
  return kubeconfigAccess(path);
}

describe('the server of a kubeconfig', () => {
  it.each([
    ['https://api.lan:6443', 'api.lan:6443', undefined],
    ['https://api.lan', 'api.lan:443', undefined],
    ['https://api.lan/', 'api.lan:443', undefined],
    ['https://proxy.lan/k8s/clusters/c-1', 'proxy.lan:443', '/k8s/clusters/c-1'],
    ['https://[fd00::1]:8443/a/b/', '[fd00::1]:8443', '/a/b'],
  ])('%s keeps its port and its path', (server, endpoint, basePath) => {
    const access = accessOf(server);
    expect(access.endpoints).toEqual([endpoint]);
    expect(access.basePath).toBe(basePath);
  });
});
