import { claim, podWith } from './cluster.js';
import type { ClusterSite } from './cluster-site.js';
import { runningKubernetes } from './watcher.js';

/** A pod with a volume that is a directory of work-2. */
export async function plantLocalVolume(site: ClusterSite): Promise<void> {
  const api = runningKubernetes(site);
  const storageClassName = 'local';
  const terms = [
    { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['work-2'] }] },
  ];
  const made = [
    api.create(
      'persistentvolumes',
      '',
      {
        metadata: { name: 'pv-db' },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          storageClassName,
          local: { path: '/var/mnt/db' },
          nodeAffinity: { required: { nodeSelectorTerms: terms } },
        },
      },
      'test',
    ),
    api.create(
      'persistentvolumeclaims',
      'default',
      { ...claim('db', 'pv-db', '1Gi'), spec: { ...claim('db', 'pv-db', '1Gi').spec, storageClassName } },
      'test',
    ),
    api.create('pods', 'default', podWith('db-0', 'db'), 'test'),
  ];
  if (made.some((one) => !one)) throw new Error('the lab refused the local volume');
  await site.lab.clock.sleep(60_000);
  const { nodeName } = (api.find('pods', 'default', 'db-0')?.spec ?? {}) as { nodeName?: string };
  if (nodeName !== 'work-2') throw new Error(`the pod is on ${nodeName}`);
}
