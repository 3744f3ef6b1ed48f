/** What tests of a recovery look at and destroy. */
import { afterEach, beforeAll } from 'vitest';
import { type CliFolder, ended } from './cli.js';
import { ClusterSite } from './cluster-site.js';
import { kubernetesOf } from './watcher.js';

/** The etcd cluster that runs now; one that was given up stays on disks that were set aside. */
export function etcdOf(site: ClusterSite) {
  const ids = new Set([...site.room.machines()].flatMap((machine) => machine.etcdData?.clusterId ?? []));
  const living = site.etcd.filter(({ id }) => ids.has(id));
  const [only] = living;
  if (!only || living.length > 1) throw new Error(`${living.length} etcd clusters run`);
  return only;
}

export const memberOf = (site: ClusterSite, name: string) =>
  etcdOf(site).members.find((member) => member.name === name)?.id;

export async function destroyVm(site: ClusterSite, host: string, vmid: number): Promise<void> {
  await site.byHand(async (hand) => {
    if ((await hand.vmStatus(host, vmid)).status === 'running')
      await hand.runTask(() => hand.stopVm(host, vmid));
    await hand.updateVm(host, vmid, { set: { protection: 0 } });
    await hand.runTask(() => hand.destroyVm(host, vmid));
  });
}

export function writeNote(site: ClusterSite, name: string, text: string): void {
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
    data: { text },
  };
  if (!kubernetesOf(site.room)?.create('configmaps', 'default', body, 'test'))
    throw new Error('the lab refused it');
}
export const noteOf = (site: ClusterSite, name: string) =>
  kubernetesOf(site.room)?.find('configmaps', 'default', name)?.data;

const BUILD_MS = 300_000;

/** Builds the cluster once for the tests of a file; gives each a copy, and takes it away after the test. */
export function copiesOf(file: string): () => Promise<ClusterSite> {
  let begin: CliFolder;
  let site: ClusterSite | undefined;
  beforeAll(async () => {
    const built = await ClusterSite.open(file);
    ended(await built.run('apply', '--yes'));
    begin = await built.close();
    return () => begin.remove();
  }, BUILD_MS);
  afterEach(async () => {
    await site?.remove();
    site = undefined;
  });
  return async () => {
    site = await ClusterSite.open(file, begin.copy());
    return site;
  };
}
