import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseVersion } from '../../model/version.js';
import type { Versions } from '../../plan/machines/upgrade-path.js';
import { writeVersions } from './config-versions.js';

const FLOW = `# our cluster
cluster: { name: small, kubernetes: v1.36.0 } # renovate: kubernetes
talos: {version: "v1.13.9"}   # renovate: talos
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254 }
nodes:
  cp-1: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 141 }
  work-1: { role: worker, host: pve1, ip: 10.20.30.51, vmid: 151 }
`;
const BLOCK = FLOW.replace(
  'talos: {version: "v1.13.9"}',
  "talos:\n  # the one that runs\n  version: 'v1.13.9'",
);

function versions(talos: string, kubernetes: string): Versions {
  const [t, k] = [parseVersion(talos), parseVersion(kubernetes)];
  if (!t || !k) throw new Error('not a version');
  return { talos: t, kubernetes: k };
}

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-versions-'));
  path = join(folder, 'oxherd.yaml');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the versions in oxherd.yaml', () => {
  it.each([
    ['flow', FLOW],
    ['block', BLOCK],
    ['Windows lines', FLOW.replaceAll('\n', '\r\n')],
  ])('change alone: %s', (_, text) => {
    writeFileSync(path, text);
    chmodSync(path, 0o640);
    writeVersions(path, versions('v1.14.1', 'v1.37.2'));
    expect(readFileSync(path, 'utf8')).toBe(text.replace('v1.13.9', 'v1.14.1').replace('v1.36.0', 'v1.37.2'));
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  it('are written through a link', () => {
    writeFileSync(join(folder, 'real.yaml'), FLOW);
    symlinkSync('real.yaml', path);
    writeVersions(path, versions('v1.14.1', 'v1.36.0'));
    expect(readFileSync(join(folder, 'real.yaml'), 'utf8')).toContain('v1.14.1');
  });

  it('are left as they were where the file would not load with the new ones', () => {
    writeFileSync(path, FLOW);
    expect(() => writeVersions(path, versions('v1.13.9', 'v1.37.0'))).toThrow(
      /runs Kubernetes v1.31 to v1.36/,
    );
    expect(readFileSync(path, 'utf8')).toBe(FLOW);
  });

  it('are not changed behind an anchor that others use', () => {
    writeFileSync(
      path,
      FLOW.replace('kubernetes: v1.36.0', 'kubernetes: *k8s').replace('# our cluster', 'x: &k8s v1.36.0'),
    );
    expect(() => writeVersions(path, versions('v1.14.1', 'v1.37.0'))).toThrow(
      /`cluster.kubernetes` is not a single value/,
    );
  });
});
