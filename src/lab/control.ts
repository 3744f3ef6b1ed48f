/** How other processes reach a lab that serves: faults are switched and its address is asked over loopback. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { z } from 'zod';
import { OxherdError } from '../model/error.js';
import { FAULTS, type FaultName } from './faults.js';
import type { Lab } from './index.js';
import { isAlive, readLock } from './lock.js';
import { publicNetwork } from './network.js';

const faultOrder = z.object({
  name: z.string().refine((name): name is FaultName => name in FAULTS),
  subject: z.string(),
  countdown: z.number().nullable(),
  on: z.boolean(),
});
type FaultOrder = z.infer<typeof faultOrder>;

const labAddress = z.object({
  endpoint: z.string(),
  endpoints: z.record(z.string(), z.string()),
  fingerprint: z.string(),
  authority: z.string(),
  token: z.string(),
  rootTicket: z.string(),
  rootCsrf: z.string(),
  /** What has a name instead of an address, such as the factory: `host:port` → where it is on loopback. */
  names: z.record(z.string(), z.object({ host: z.string(), port: z.number() })),
});
export type LabAddress = z.infer<typeof labAddress>;

export function addressOf(lab: Lab): LabAddress {
  const root = lab.rootLogin();
  return {
    endpoint: lab.endpoint,
    endpoints: Object.fromEntries(lab.proxmox.endpoints),
    fingerprint: lab.fingerprint,
    authority: lab.authority,
    token: lab.token,
    rootTicket: root.ticket,
    rootCsrf: root.csrf,
    names: Object.fromEntries([...lab.core.network.places()].filter(([name]) => !/^\d+\./.test(name))),
  };
}

export interface Control {
  readonly url: string;
  /** Whoever can read it (the lock file, 0600) may give orders. */
  readonly secret: string;
  close(): Promise<void>;
}

export async function startControl(lab: Lab): Promise<Control> {
  const secret = randomBytes(24).toString('hex');
  const server = createServer((request, response) => {
    answer(lab, secret, request).then(
      (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(error instanceof Refused ? 403 : 400).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: urlOf(server), secret, close: () => close(server) };
}

class Refused extends Error {}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the control endpoint has no port');
  return `http://127.0.0.1:${address.port}`;
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function answer(lab: Lab, secret: string, request: IncomingMessage): Promise<unknown> {
  const given = Buffer.from(request.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${secret}`);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw new Refused();
  if (request.method === 'GET' && request.url === '/address') return addressOf(lab);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { on, ...fault } = faultOrder.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  if (on) lab.core.faults.set(fault);
  else lab.core.faults.clear(fault.name, fault.subject === '' ? undefined : fault.subject);
  return lab.core.faults.list();
}

/** A lab that serves on this folder's state; `undefined`: none does. */
export interface ServingLab {
  address(): Promise<LabAddress>;
  switchFault(order: FaultOrder): Promise<void>;
  /** Where an address of a machine is on loopback while the lab serves. */
  dial(ip: string, port: number): { host: string; port: number };
}

export function findServingLab(folder: string): ServingLab | undefined {
  const lock = readLock(folder);
  const control = lock && isAlive(lock.pid) ? lock.control : undefined;
  if (!control) return undefined;
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${control.url}${path}`, {
      headers: { authorization: `Bearer ${control.secret}` },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!response.ok) {
      throw new OxherdError('lab.control', `the lab in ${folder} refused with status ${response.status}`, {
        where: folder,
        advice: `stop process ${lock?.pid} and start the lab again`,
      });
    }
    return response.json();
  };
  return {
    address: async () => labAddress.parse(await ask('/address')),
    dial: (ip, port) => publicNetwork().bindFor(ip, port),
    switchFault: async (order) => void (await ask('/fault', order)),
  };
}
