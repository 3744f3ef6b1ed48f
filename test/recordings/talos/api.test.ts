import {
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromJson,
  type JsonValue,
} from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { State } from '../../../src/clients/talos/gen/cosi/resource/state_pb.js';
import { ImageService } from '../../../src/clients/talos/gen/machine/image_pb.js';
import { LifecycleService } from '../../../src/clients/talos/gen/machine/lifecycle_pb.js';
import { MachineService } from '../../../src/clients/talos/gen/machine/machine_pb.js';
import { probe } from '../../../src/clients/talos/probe.js';
import { ScaledClock } from '../../../src/lab/clock.js';
import { createFaults } from '../../../src/lab/faults.js';
import { publicNetwork } from '../../../src/lab/network.js';
import { storedRandom } from '../../../src/lab/random.js';
import { memoryStore } from '../../../src/lab/store.js';
import { type RecordingsTalos, startRecordingsTalos } from '../../../src/lab/talos/index.js';
import { createTimeline } from '../../../src/lab/timeline.js';
import { configText, fixture, maskLines, recordedConfig } from './recorded-config.js';

const record = z.object({
  name: z.string(),
  state: z.string(),
  endpoint: z.enum(['cp1', 'cp2', 'worker']),
  auth: z.string(),
  metadata: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  method: z.string(),
  kind: z.string(),
  request: z.record(z.string(), z.unknown()),
  response: z.object({ code: z.string(), message: z.string() }),
  source: z.string(),
});
type Recorded = z.infer<typeof record>;

const records = z.array(record).parse(JSON.parse(fixture('api.json')));
/** Sources whose answers came from Talos' own code. */
const REAL = ['tls', 'apid', 'rbac', 'cosi', 'validation', 'cosi+machine'];
const SERVICES = [MachineService, LifecycleService, ImageService, State];

let talos: RecordingsTalos;
let clock: ScaledClock;

beforeAll(async () => {
  const store = memoryStore();
  clock = new ScaledClock(Date.UTC(2026, 0, 1), 200);
  talos = await startRecordingsTalos({
    store,
    clock,
    timeline: createTimeline(store, clock),
    network: publicNetwork(),
    faults: createFaults(store),
    random: storedRandom(store, 'test'),
  });
});

afterAll(() => {
  talos.close();
  clock.stop();
});

const fill = (text: string) =>
  text.replaceAll(
    /\{(cp1|cp2|worker|absent)\}/g,
    (_, name: keyof RecordingsTalos['ready']['addresses']) => talos.ready.addresses[name],
  );

function describeMethod(path: string): DescMethod {
  const [service, name] = path.split('/');
  const found = SERVICES.find(({ typeName }) => typeName === service)?.methods.find(
    (method) => method.name === name,
  );
  if (!found) throw new Error(`no ${path}`);
  return found;
}

function requestMessage({ method, request }: Recorded) {
  const { data, new_resource: _masked, ...rest } = request;
  const message = fromJson(describeMethod(method).input, rest as JsonValue, { ignoreUnknownFields: true });
  if (data !== undefined) {
    const text = configText(recordedConfig.parse(data));
    Object.assign(message, { data: Buffer.from(text) });
  }
  return message;
}

async function call(recorded: Recorded): Promise<{ code: string; message: string }> {
  const method = describeMethod(recorded.method);
  const pair = talos.ready.certificates[recorded.auth];
  const transport = createGrpcTransport({
    baseUrl: `https://${talos.ready.addresses[recorded.endpoint]}:${talos.ready.port}`,
    nodeOptions: { rejectUnauthorized: false, ...(pair ? { cert: pair.certificate, key: pair.key } : {}) },
  });
  const headers = new Headers();
  for (const [key, value] of Object.entries(recorded.metadata)) {
    for (const one of [value].flat()) headers.append(key, fill(one));
  }
  const signal = AbortSignal.timeout(recorded.method.endsWith('/Watch') ? 300 : 10_000);
  try {
    const message = requestMessage(recorded);
    if (method.methodKind === 'server_streaming') {
      const stream = await transport.stream(asStreaming(method), signal, undefined, headers, only(message));
      for await (const _ of stream.message);
    } else {
      await transport.unary(asUnary(method), signal, undefined, headers, message);
    }
    return { code: 'OK', message: '' };
  } catch (error) {
    const failure = ConnectError.from(error);
    if (signal.aborted) {
      return { code: '(still open; cancelled by the client)', message: '' };
    }
    // A connection that TLS refused: grpc-go calls it unavailable.
    if (failure.code === Code.Internal || failure.code === Code.Canceled)
      return { code: 'UNAVAILABLE', message: '<client-side text>' };
    return { code: grpcName(failure.code), message: maskLines(failure.rawMessage) };
  }
}

function asUnary(method: DescMethod): DescMethodUnary {
  return method as DescMethodUnary;
}

function asStreaming(method: DescMethod): DescMethodServerStreaming {
  return method as DescMethodServerStreaming;
}

async function* only<T>(message: T) {
  yield message;
}

/** PermissionDenied → PERMISSION_DENIED */
function grpcName(code: Code): string {
  return Code[code].replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

const address = () => talos.ready.addresses.cp1;
const presence = () => probe(address(), { port: talos.ready.port });

async function until(check: () => Promise<boolean> | boolean): Promise<void> {
  for (let i = 0; i < 200; i += 1) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the machine does not get there');
}

describe('answers of the real API', () => {
  // In the order of the recording: cp1 walks through its states.
  it.each(records)('$name', async (recorded) => {
    if (recorded.state === 'configured') await until(async () => (await presence()) === 'configured');
    if (recorded.state === 'after-reset') await until(async () => (await presence()) === 'maintenance');
    if (recorded.name === 'configured: Bootstrap') {
      await until(() => talos.room.machine(101)?.service('cri')?.state === 'Running');
    }
    if (recorded.state === 'bootstrapped') {
      await until(() => talos.room.machine(101)?.record.controlPlane === 'running');
    }
    const answer = await call(recorded);
    if (!REAL.includes(recorded.source)) return;
    // This resource exists in the lab's machines, which are more than the recorded one.
    const more = /none in the recorded machine/.test(recorded.name);
    if (more && recorded.response.code === 'NOT_FOUND') return;
    expect(answer.code).toBe(recorded.response.code);
    if (!/go-yaml load error/.test(recorded.response.message)) {
      expect(answer.message).toBe(fill(recorded.response.message));
    }
  });
});
