/** The API and the controllers alone, five times as fast as the wall; kubelets of nodes that clients make are played, as kwok does. */
import { writeFileSync } from 'node:fs';
import { ScaledClock } from '../../../../src/lab/clock.js';
import { createAuthority, issue } from '../../../../src/lab/kubernetes/certificates.js';
import { type SimulatedKubernetes, startKubernetes } from '../../../../src/lab/kubernetes/index.js';
import { testCore } from './testing.js';

/** `path`: where the kubeconfig of an administrator is written. */
export async function startWithKwok(path: string): Promise<SimulatedKubernetes> {
  const core = testCore(new ScaledClock(Date.now(), 5));
  const lab = startKubernetes(core, { adopts: (object) => object.metadata.labels?.type === 'kwok' });
  const authority = await createAuthority('kubernetes');
  lab.feed.cluster({ authority, version: 'v1.37.1', cni: 'none', kubeProxy: false, coreDns: false });
  await lab.feed.apiServerUp('10.20.30.41');
  const place = core.network.dial('10.20.30.41', 6443);
  const admin = await issue(authority, {
    commonName: 'admin',
    organizations: ['system:masters'],
    usage: 'client',
  });
  const server = `https://${place?.host}:${place?.port}`;
  writeFileSync(path, kubeconfig(server, authority.certificate, admin), { mode: 0o600 });
  return lab;
}

function kubeconfig(server: string, ca: string, client: { certificate: string; key: string }): string {
  const data = (pem: string) => Buffer.from(pem).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'lab', cluster: { server, 'certificate-authority-data': data(ca) } }],
    users: [
      {
        name: 'admin',
        user: { 'client-certificate-data': data(client.certificate), 'client-key-data': data(client.key) },
      },
    ],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'admin' } }],
    'current-context': 'lab',
  });
}
