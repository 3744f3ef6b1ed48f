import { join } from 'node:path';
import { writePrivate } from '../../state.js';
import { issue } from '../certificates.js';
import type { ControlProgram } from '../controllers/index.js';
import type { ClusterDescription } from '../feed.js';
import type { ApiPlace } from './api-client.js';
import { type Child, startChild } from './child.js';
import { controllerManagerFlags, schedulerFlags } from './flags.js';

interface ProgramsOptions {
  readonly programs: Readonly<Partial<Record<ControlProgram, string>>>;
  /** Data, keys and logs. */
  readonly folder: string;
  readonly description: ClusterDescription;
  readonly place: ApiPlace;
  /** Lab seconds per second of the wall. */
  readonly speed: number;
  /** Told of a program that ended by itself. */
  readonly notice: (text: string) => void;
}

/** Controller manager and scheduler of the PATH, on an API that is ready; answers what ends them. */
export async function startPrograms(options: ProgramsOptions): Promise<() => Promise<void>> {
  const { programs, folder, description, speed, notice } = options;
  const pki = join(folder, 'pki');
  const children: Child[] = [];
  let stopping = false;
  for (const [name, file] of Object.entries(programs)) {
    const kubeconfig = join(pki, `${name}.kubeconfig`);
    writePrivate(kubeconfig, JSON.stringify(await kubeconfigFor(name, options)));
    const flags =
      name === 'kube-scheduler'
        ? schedulerFlags(kubeconfig)
        : controllerManagerFlags(pki, kubeconfig, description, speed);
    const child = startChild(file, flags, join(folder, `${name}.log`));
    children.push(child);
    void child.ended.then(() => {
      if (!stopping) notice(`${name} ended: ${child.failingServiceLog()}`);
    });
  }
  return async () => {
    stopping = true;
    await Promise.all(children.map((child) => child.stop()));
  };
}

async function kubeconfigFor(name: string, { description, place }: ProgramsOptions) {
  const client = await issue(description.authority, { commonName: `system:${name}`, usage: 'client' });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const server = `https://127.0.0.1:${place.port}`;
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'lab', cluster: { server, 'certificate-authority-data': base64(place.authority) } }],
    users: [
      {
        name,
        user: {
          'client-certificate-data': base64(client.certificate),
          'client-key-data': base64(client.key),
        },
      },
    ],
    contexts: [{ name, context: { cluster: 'lab', user: name } }],
    'current-context': name,
  };
}
