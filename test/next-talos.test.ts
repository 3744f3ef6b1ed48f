/**
 * A Talos minor that does not exist, added in the places that CONTRIBUTING names: everything that knows versions
 * takes it from there. A place that is forgotten there makes one of these fail.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config/load.js';
import { design } from '../src/design/design-cluster.js';
import { machineConfig } from '../src/design/machine-config/machine-config.js';
import { TALOS_MINORS } from '../src/model/releases.js';
import { formatVersion, parseVersion, type Version } from '../src/model/version.js';
import { effectOf } from '../src/plan/effects/talos-config.js';
import { upgradePath } from '../src/plan/machines/upgrade-path.js';
import { planCluster } from '../src/plan/plan-cluster.js';
import { emptyProxmox } from './support/plan/observed.js';

const NEXT = { 'v1.15': { kubernetes: [33, 38], release: 'v1.15.2' } } as const;

const text = (talos: string, kubernetes: string) => `
cluster: { name: pen, kubernetes: ${kubernetes} }
talos: { version: ${talos} }
proxmox: { endpoint: https://pve1, cluster: lab, token: env:TOKEN }
network: { subnet: 10.0.0.0/24, gateway: 10.0.0.1 }
nodes:
  cp-1: { role: controlplane, host: pve1, ip: 10.0.0.10, vmid: 110 }
  work-1: { role: worker, host: pve1, ip: 10.0.0.20, vmid: 120 }
`;

function load(talos: string, kubernetes: string) {
  return loadConfig({ path: 'oxherd.yaml', text: text(talos, kubernetes), readText: () => undefined });
}

function version(words: string): Version {
  return parseVersion(words) ?? expect.fail(words);
}

beforeAll(() => void Object.assign(TALOS_MINORS, NEXT));
afterAll(() => {
  for (const minor of Object.keys(NEXT)) Reflect.deleteProperty(TALOS_MINORS, minor);
});

describe('the next Talos', () => {
  it('is known to the config, with the Kubernetes it runs', () => {
    expect(load('v1.15.2', 'v1.38.0').diagnostics).toEqual([]);
    expect(load('v1.15.2', 'v1.39.0').diagnostics).toMatchObject([
      { code: 'cluster.kubernetes', message: expect.stringContaining('v1.33 to v1.38') },
    ]);
    expect(load('v1.16.0', 'v1.38.0').diagnostics).toMatchObject([
      { code: 'talos.version', message: expect.stringContaining('v1.12 to v1.15') },
    ]);
  });

  it('has images, machine configs and a plan', () => {
    const config = load('v1.15.2', 'v1.38.0').config ?? expect.fail();
    const wanted = design(config);
    const written = machineConfig(config, wanted, 'cp-1');
    expect(written).toMatch(/nocloud-installer\/[0-9a-f]{64}:v1\.15\.2/);
    expect(written).toContain('kube-apiserver:v1.38.0');
    const { steps, problems } = planCluster(wanted, emptyProxmox());
    expect(problems).toEqual([]);
    expect(steps.find((step) => step.kind === 'download-image')?.url).toContain('/v1.15.2/');
  });

  it('is reached over the minor before it', () => {
    const path = upgradePath(
      { talos: version('v1.13.9'), kubernetes: version('v1.36.0') },
      { talos: version('v1.15.2'), kubernetes: version('v1.38.0') },
    );
    expect(path.legal && path.hops.map(({ what, to }) => `${what} ${formatVersion(to)}`)).toEqual([
      'talos v1.14.1',
      'talos v1.15.2',
      'kubernetes v1.37.0',
      'kubernetes v1.38.0',
    ]);
  });

  it('takes fields without a reboot as the minor before it did', () => {
    for (const path of ['machine.sysctls', 'machine.udev', 'machine.env']) {
      const change = { kind: '', path, before: 'a', after: 'b' };
      expect(effectOf(change, 'v1.15.2')).toEqual(effectOf(change, 'v1.14.1'));
    }
  });
});

describe('the pages', () => {
  const page = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

  it('have a row for every Talos that is known', () => {
    for (const [minor, { kubernetes }] of Object.entries(TALOS_MINORS)) {
      if (minor in NEXT) continue;
      expect(page('docs/upgrades.md')).toContain(`| ${minor} | v1.${kubernetes[0]} to v1.${kubernetes[1]} |`);
    }
  });

  it('name the files that a recipe changes', () => {
    const recipes = page('CONTRIBUTING.md').split('## Recipes')[1] ?? '';
    const named = [...recipes.matchAll(/`((?:src|test|docs|scripts)\/[\w./-]+\.\w+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.length).toBeGreaterThan(10);
    for (const path of named) expect(() => page(path), path).not.toThrow();
  });
});
