import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connect } from 'node:tls';
import { OxherdError } from '../../../model/error.js';
import { writePrivate } from '../../state.js';
import { issue } from '../certificates.js';
import type { ClusterDescription } from '../feed.js';
import { servingCertificate } from '../serving-certificate.js';
import { ApiClient, type ApiPlace } from './api-client.js';
import type { Binaries } from './binaries.js';
import { type Child, startChild } from './child.js';
import { apiServerFlags, etcdFlags, writeEgress } from './flags.js';
import { writeKeys } from './keys.js';

const PATIENCE = 90_000;
const POLL = 50;

export interface ControlPlane {
  readonly place: ApiPlace;
  /** The API server's certificate also names these addresses from now on. */
  alsoServe(addresses: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

interface ControlPlaneOptions {
  readonly binaries: Binaries;
  /** Data, keys and logs. */
  readonly folder: string;
  readonly description: ClusterDescription;
  /** Addresses that the first certificate names. */
  readonly addresses: readonly string[];
  /** Port of the way to the kubelets. */
  readonly kubelets: number;
}

/** A port that was free a moment ago can be another program's when etcd or the API server opens it. */
const PORT_TAKEN = /address already in use/;
const ATTEMPTS = 3;

/** etcd and kube-apiserver on free ports of loopback, with the cluster's own authority and keys. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnFreePorts(options);
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof Error) || !PORT_TAKEN.test(error.message)) throw error;
    }
  }
}

async function startOnFreePorts(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { folder, description, binaries } = options;
  const pki = join(folder, 'pki');
  mkdirSync(pki, { recursive: true, mode: 0o700 });
  const [client, peer, port] = await freePorts(3);
  const served = new Set(options.addresses);
  const place: ApiPlace = {
    port: port ?? 0,
    authority: description.authority.certificate,
    client: await issue(description.authority, {
      commonName: 'oxherd-lab',
      organizations: ['system:masters'],
      usage: 'client',
    }),
  };
  const serving = await servingCertificate(description, [...served]);
  await writeKeys(pki, description, serving);
  writeEgress(pki, options.kubelets);
  const etcd = startChild(
    binaries.etcd,
    etcdFlags(folder, pki, client ?? 0, peer ?? 0),
    join(folder, 'etcd.log'),
  );
  const server = startChild(
    binaries.apiServer,
    [...apiServerFlags(pki, client ?? 0, place.port, options), ...admissionFlags(folder, description)],
    join(folder, 'kube-apiserver.log'),
  );
  const stop = async () => {
    await server.stop();
    await etcd.stop();
  };
  try {
    await untilReady(place, { etcd, 'kube-apiserver': server });
  } catch (error) {
    await stop();
    throw error;
  }
  const extend = async (addresses: readonly string[]) => {
    if (addresses.every((address) => served.has(address))) return;
    for (const address of addresses) served.add(address);
    const next = await servingCertificate(description, [...served]);
    // It reads its files again when they change; the key first, since the certificate completes the pair.
    writePrivate(join(pki, 'serving.key'), next.key);
    writePrivate(join(pki, 'serving.crt'), next.certificate);
    await untilServed(place.port, next.certificate, server);
  };
  let last: Promise<void> = Promise.resolve();
  return {
    place,
    stop,
    // One after the other: each waits until its own certificate is shown.
    alsoServe: (addresses) => {
      last = last.catch(() => {}).then(() => extend(addresses));
      return last;
    },
  };
}

async function untilReady(place: ApiPlace, children: Record<string, Child>): Promise<void> {
  const client = new ApiClient(place);
  const deadline = Date.now() + PATIENCE;
  try {
    for (;;) {
      for (const [name, child] of Object.entries(children)) {
        if (!child.running) throw failed(`${name} ended while it started: ${child.failingServiceLog()}`);
      }
      const ready = await client.send('GET', '/readyz').catch(() => undefined);
      if (ready?.status === 200) return;
      if (Date.now() > deadline) {
        const words = children['kube-apiserver']?.failingServiceLog() ?? '';
        throw failed(`kube-apiserver was not ready after ${PATIENCE / 1000} s: ${words}`);
      }
      await wait(POLL);
    }
  } finally {
    client.close();
  }
}

function failed(message: string): OxherdError {
  return new OxherdError('lab.kubernetes', message, {
    advice: 'look into etcd.log and kube-apiserver.log of the lab’s folder, or leave out --kubernetes real',
  });
}

/** Until the server shows this certificate. */
async function untilServed(port: number, certificate: string, server: Child): Promise<void> {
  const wanted = Buffer.from(certificate.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const deadline = Date.now() + PATIENCE;
  while (!(await shown(port)).equals(wanted)) {
    if (!server.running || Date.now() > deadline)
      throw failed('kube-apiserver did not take its new certificate');
    await wait(POLL);
  }
}

function shown(port: number): Promise<Buffer> {
  return new Promise((resolve) => {
    // Only looked at: whether it is trusted is for those who use it.
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().raw);
      socket.destroy();
    });
    socket.once('error', () => resolve(Buffer.alloc(0)));
  });
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** The machine config's `apiServer.admissionControl`, written as Talos writes it for the API server. */
function admissionFlags(folder: string, { admissionControl = [] }: ClusterDescription): string[] {
  if (admissionControl.length === 0) return [];
  const file = join(folder, 'admission.json');
  const plugins = admissionControl.map(({ name, configuration }) => ({ name, configuration }));
  const content = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins };
  writeFileSync(file, JSON.stringify(content));
  return [`--admission-control-config-file=${file}`];
}
