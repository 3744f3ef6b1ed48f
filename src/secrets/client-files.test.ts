import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { kubeconfigText, mergeKubeconfig, mergeTalosconfig, talosconfigText } from './client-files.js';
import { parseTalosSecrets } from './talos-secrets.js';

const fixture = (name: string): string =>
  readFileSync(new URL(`../../test/fixtures/secrets/talos-v1.13/${name}`, import.meta.url), 'utf8');
const secrets = parseTalosSecrets(fixture('secrets.yaml'), 'fixture');

describe('talosconfig', () => {
  const recorded = parse(fixture('talosconfig'));

  it('is what talosctl writes, given the same certificate', () => {
    const client = recorded.contexts.demo;
    expect(talosconfigText(secrets, { cluster: 'demo', endpoints: ['10.5.0.2'], client })).toBe(
      fixture('talosconfig'),
    );
  });

  it('is merged without touching other contexts', () => {
    const ours = talosconfigText(secrets, {
      cluster: 'ours',
      endpoints: ['10.0.0.1'],
      client: { crt: 'a', key: 'b' },
    });
    const merged = parse(mergeTalosconfig(fixture('talosconfig'), ours, 'f'));
    expect(merged.context).toBe('ours');
    expect(merged.contexts.demo).toEqual(recorded.contexts.demo);
    expect(merged.contexts.ours).toEqual(parse(ours).contexts.ours);
    expect(mergeTalosconfig('', ours, 'f')).toBe(ours);
  });

  it('is not merged into something else', () => {
    expect(() => mergeTalosconfig('- tell-nobody\n', 'context: a\n', 'f.yaml')).toThrow(
      /f\.yaml is not a mapping/,
    );
    expect(() => mergeTalosconfig('a: [tell-nobody', 'context: a\n', 'f.yaml')).not.toThrow(/tell-nobody/);
  });
});

describe('kubeconfig', () => {
  const client = { crt: 'Y3J0', key: 'a2V5' };
  const ours = kubeconfigText(secrets, { cluster: 'ours', server: 'https://10.0.0.9:6443', client });

  it('names the cluster, its authority and its admin', () => {
    expect(parse(ours)).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'ours',
          cluster: { server: 'https://10.0.0.9:6443', 'certificate-authority-data': secrets.certs.k8s.crt },
        },
      ],
      contexts: [
        { name: 'admin@ours', context: { cluster: 'ours', namespace: 'default', user: 'admin@ours' } },
      ],
      'current-context': 'admin@ours',
      preferences: {},
      users: [{ name: 'admin@ours', user: { 'client-certificate-data': 'Y3J0', 'client-key-data': 'a2V5' } }],
    });
  });

  it('replaces entries of its own name and keeps the others', () => {
    const other = kubeconfigText(secrets, { cluster: 'other', server: 'https://192.0.2.1:6443', client });
    const older = kubeconfigText(secrets, { cluster: 'ours', server: 'https://192.0.2.2:6443', client });
    const merged = parse(mergeKubeconfig(mergeKubeconfig(other, older, 'f'), ours, 'f'));
    expect(merged.clusters.map((entry: { name: string }) => entry.name)).toEqual(['other', 'ours']);
    expect(merged.clusters[1]).toEqual(parse(ours).clusters[0]);
    expect(merged['current-context']).toBe('admin@ours');
  });
});
