import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import { CLIENT_VALIDITY_MS, issueCertificate } from '../../../secrets/certificates.js';
import { type Machine, PRIVATE_HOST } from '../machine/machine.js';

const HOUR = 3_600_000;

/** Certificates live by the wall: TLS knows no other time. */
function validFor(milliseconds: number) {
  const now = Date.now();
  return { notBefore: new Date(now - HOUR), notAfter: new Date(now + milliseconds) };
}

/** The kubeconfig as the Kubeconfig call frames it: a gzipped tar that is never closed (kubeconfig-framing). */
export async function kubeconfigArchive(machine: Machine): Promise<Uint8Array> {
  const { facts } = machine;
  const name = facts?.cluster.name ?? '';
  const user = `admin@${name}`;
  const ca = facts?.cluster.ca ?? { crt: '', key: '' };
  const client = await issueCertificate(
    ca,
    {
      subject: { organizations: ['system:masters'], commonName: 'admin' },
      validity: validFor(CLIENT_VALIDITY_MS),
      usage: ['client'],
      keyEncipherment: true,
    },
    randomBytes,
  );
  const text = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: servedEndpoint(machine), 'certificate-authority-data': ca.crt } }],
    contexts: [{ name: user, context: { cluster: name, namespace: 'default', user } }],
    'current-context': user,
    users: [{ name: user, user: { 'client-certificate-data': client.crt, 'client-key-data': client.key } }],
  });
  return gzipSync(openTar('kubeconfig', Buffer.from(text, 'utf8')));
}

/** The cluster's endpoint; under `lab serve` the place on loopback where other programs find it. */
function servedEndpoint({ facts, room }: Machine): string {
  const endpoint = facts?.cluster.endpoint ?? '';
  return endpoint.replace(/\/\/(\d+(?:\.\d+){3})(?=[:/]|$)/, (whole, ip: string) => {
    const { host } = room.core.network.bindFor(ip, 0);
    return host === PRIVATE_HOST ? whole : `//${host}`;
  });
}

/** One entry, neither padded nor followed by end blocks. */
function openTar(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write(
    `${Math.floor(Date.now() / 1000)
      .toString(8)
      .padStart(11, '0')}\0`,
    136,
  );
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, content]);
}

/** A talosconfig with the roles asked for, signed by the machine's own CA. */
export async function clientConfiguration(machine: Machine, roles: readonly string[], ttl: number) {
  const { facts } = machine;
  const ca = facts?.talosCa ?? { crt: '', key: '' };
  const client = await issueCertificate(
    ca,
    {
      subject: { organizations: [...roles] },
      validity: validFor(ttl > 0 ? ttl : CLIENT_VALIDITY_MS),
      usage: ['client'],
    },
    randomBytes,
  );
  const context = facts?.cluster.name ?? 'talos';
  const endpoints = machine.addresses.map(({ ip }) => ip);
  const talosconfig = stringify({
    context,
    contexts: { [context]: { endpoints, ca: ca.crt, crt: client.crt, key: client.key } },
  });
  return {
    ca: Buffer.from(ca.crt, 'base64'),
    crt: Buffer.from(client.crt, 'base64'),
    key: Buffer.from(client.key, 'base64'),
    talosconfig: Buffer.from(talosconfig, 'utf8'),
  };
}
