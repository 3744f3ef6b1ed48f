import { describe, expect, it } from 'vitest';
import { formatDiagnostic } from '../diagnostics.js';
import { loadConfig } from '../load.js';

const text = (gitops: string) => `
cluster: { name: x, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:T" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254 }
nodes:
  n0: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 141 }
kubernetes:
  gitops: ${gitops}
policy: { outage: allow }
`;
const FILES: Readonly<Record<string, string>> = {
  known_hosts: 'git.lan ssh-ed25519 AAAA\n',
  'install.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: { name: flux-system }\n',
};

function load(gitops: string) {
  return loadConfig({ path: 'oxherd.yaml', text: text(gitops), readText: (path) => FILES[path] });
}
const said = (gitops: string) =>
  load(gitops)
    .diagnostics.map((each) => formatDiagnostic(each))
    .join('\n');
const flux = (source: string, more = '') => `{ flux: { version: v2.9.5, ${more} source: { ${source} } } }`;

describe('the first repository', () => {
  it.each([
    ['{}', /needs either `flux` or `argocd`/],
    [flux('url: "ssh://git@git.lan/x.git", knownHosts: known_hosts'), /needs a key/],
    [flux('url: "ssh://git@git.lan/x.git", key: "env:K"'), /host keys/],
    [flux('url: "https://git.lan/x.git", key: "env:K"'), /`key` is for ssh/],
    [flux('url: "https://git.lan/x.git", username: bot'), /`username` needs a `password`/],
    [flux('url: "git@git.lan:x.git"'), /ssh:\/\/git@host\/path/],
    [flux('url: "https://git.lan/x.git"', 'manifest: missing.yaml,'), /no readable file `missing.yaml`/],
    [flux('url: "https://git.lan/x.git"', `manifest: install.yaml, sha256: "${'ab'.repeat(32)}",`), /by URL/],
    [flux('url: "https://git.lan/x.git", password: hunter2hunter2'), /not the secret itself/],
  ])('%s is refused', (gitops, why) => {
    expect(said(gitops)).toMatch(why);
    expect(load(gitops).config).toBeUndefined();
  });

  it('with a password in its URL is refused without showing it', () => {
    const message = said(flux('url: "https://bot:hunter2hunter2@git.lan/x.git"'));
    expect(message).toContain('the URL has a password in it');
    expect(message).not.toContain('hunter2');
  });

  it('has the release of its version by default', () => {
    const of = (gitops: string) => load(gitops).config?.kubernetes.gitops?.manifest;
    const source = 'source: { url: "https://git.lan/x.git" }';
    expect(of(flux('url: "https://git.lan/x.git"'))).toEqual({
      url: 'https://github.com/fluxcd/flux2/releases/download/v2.9.5/install.yaml',
    });
    expect(of(`{ argocd: { version: v3.5.6, ${source} } }`)).toEqual({
      url: 'https://raw.githubusercontent.com/argoproj/argo-cd/v3.5.6/manifests/install.yaml',
    });
    expect(of(flux('url: "https://git.lan/x.git"', 'manifest: install.yaml,'))).toMatchObject({
      path: 'install.yaml',
    });
  });
});
