/** Kubernetes goes part by part: images before, Talos's own manifests after, and nodes that restart before all of it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/lab/kubernetes/object.js';
import type { ClusterSite } from '../support/cluster-site.js';
import { expectNothingToDo, RunningHerd } from '../support/rolling.js';
import { runningKubernetes } from '../support/watcher.js';

const HOOK_MS = 300_000;
let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 1 });
}, HOOK_MS);
afterEach(() => herd.removeCopies());
afterAll(() => herd.remove());

function daemon(site: ClusterSite): KubeObject {
  const found = runningKubernetes(site).find('daemonsets.apps', 'kube-system', 'kube-proxy');
  if (!found) throw new Error('there is no kube-proxy');
  return found;
}

interface DaemonSpec {
  readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
}

function proxyImage(site: ClusterSite): string | undefined {
  return (daemon(site).spec as DaemonSpec).template.spec.containers[0]?.image;
}

/** As `kubectl set image` does it. */
function setProxyImage(site: ClusterSite, image: string): void {
  const object = structuredClone(daemon(site)) as KubeObject & {
    spec: { template: { spec: { containers: { image: string }[] } } };
  };
  const [container] = object.spec.template.spec.containers;
  if (container) container.image = image;
  runningKubernetes(site).update('daemonsets.apps', object, '', 'kubectl');
}

describe('an upgrade of Kubernetes', () => {
  it('pulls its images first and renews the manifests of Talos last, as Talos would', async () => {
    const { site, report } = await herd.rolls({ kubernetes: 'v1.36.0' });
    expect(report.went).toEqual([]);
    for (const machine of site.room.machines()) {
      expect(machine.record.images).toContain('ghcr.io/siderolabs/kubelet:v1.36.0');
      expect(machine.record.images.includes('registry.k8s.io/kube-apiserver:v1.35.0')).toBe(
        machine.isControlPlane,
      );
    }
    expect(proxyImage(site)).toBe('registry.k8s.io/kube-proxy:v1.36.0');
    const inventory = runningKubernetes(site).find(
      'configmaps',
      'kube-system',
      'talos-bootstrap-manifests-inventory',
    );
    expect(Object.keys(inventory?.data as object)).toEqual(
      expect.arrayContaining([
        'kube-system_kube-proxy_apps_DaemonSet',
        'kube-system_coredns_apps_Deployment',
      ]),
    );
    expect(JSON.stringify(daemon(site).metadata.managedFields)).toContain(
      '"manager":"talos","operation":"Apply"',
    );
  });

  it('changes nothing where an image cannot be pulled', async () => {
    const site = await herd.copy();
    site.lab.core.faults.set({ name: 'download-fails', subject: 'work-1', countdown: null });
    site.config = herd.with({ kubernetes: 'v1.35.0' });
    const { result } = await site.watch(['apply', '--yes']);
    expect(result.exit).toBe(1);
    expect(result.stdout).toContain('ghcr.io/siderolabs/kubelet:v1.35.0 cannot be pulled on work-1');
    expect(result.stdout).toContain('Kubernetes is unchanged');
    for (const machine of site.room.machines()) {
      expect(machine.config).not.toContain('v1.35.0');
    }
    site.lab.core.faults.clear('download-fails');
    expect((await site.run('apply', '--yes')).exit).toBe(0);
    await expectNothingToDo(site);
  });

  it('goes on after the nodes that restart in the same plan are back', async () => {
    const { site, report } = await herd.rolls({
      kubernetes: 'v1.35.0',
      memory: '6GiB',
      schematic: '  patches: { all: [{ machine: { env: { LANG: C } } }] }',
    });
    // Each once: the restart for the memory brings the config as well.
    expect([...report.went].sort()).toEqual([141, 142, 143, 151]);
    expect(proxyImage(site)).toBe('registry.k8s.io/kube-proxy:v1.35.0');
  });

  it('is finished by the next plan where the manifests of Talos were left behind', async () => {
    const site = await herd.copy();
    setProxyImage(site, 'registry.k8s.io/kube-proxy:v1.33.0');
    const plan = await site.run('plan');
    expect(plan.stdout).toContain('update Talos manifests');
    expect(plan.stdout).toContain(
      'DaemonSet kube-proxy: registry.k8s.io/kube-proxy:v1.33.0 → registry.k8s.io/kube-proxy:v1.34.0',
    );
    expect((await site.run('apply', '--yes')).exit).toBe(0);
    expect(proxyImage(site)).toBe('registry.k8s.io/kube-proxy:v1.34.0');
    await expectNothingToDo(site);
  });

  it("leaves somebody's own image alone", async () => {
    const site = await herd.copy();
    setProxyImage(site, 'registry.example/kube-proxy:v1.33.0');
    await expectNothingToDo(site);
  });
});
