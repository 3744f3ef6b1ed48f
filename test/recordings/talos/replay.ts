/** Sends a recorded call to machines of the recordings' profile, wherever they run. */
import {
  createRegistry,
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromJson,
  type JsonValue,
  type Message,
  toJson,
} from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { z } from 'zod';
import type { Dial } from '../../../src/clients/talos/connection.js';
import { State } from '../../../src/clients/talos/gen/cosi/resource/state_pb.js';
import { ImageService } from '../../../src/clients/talos/gen/machine/image_pb.js';
import { LifecycleService } from '../../../src/clients/talos/gen/machine/lifecycle_pb.js';
import {
  MachineService,
  MachineStatusEventSchema,
  SequenceEventSchema,
  ServiceStateEventSchema,
} from '../../../src/clients/talos/gen/machine/machine_pb.js';
import type { RecordingsTalos } from '../../../src/lab/talos/index.js';
import { configText, fixture, maskLines, recordedConfig } from './recorded-config.js';

type Ready = RecordingsTalos['ready'];

const record = z.object({
  name: z.string(),
  state: z.string(),
  endpoint: z.enum(['cp1', 'cp2', 'worker']),
  auth: z.string(),
  metadata: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  method: z.string(),
  kind: z.string(),
  request: z.record(z.string(), z.unknown()),
  response: z.object({ code: z.string(), message: z.string(), body: z.unknown().optional() }),
  source: z.string(),
  tls: z.object({ alert: z.string().nullish() }).optional(),
});
export type Recorded = z.infer<typeof record>;

export const records = z.array(record).parse(JSON.parse(fixture('api.json')));
/** Sources whose answers came from Talos' own code. */
export const REAL = ['tls', 'apid', 'rbac', 'cosi', 'validation', 'cosi+machine'];
const SERVICES = [MachineService, LifecycleService, ImageService, State];

/** With the addresses of this run in it. */
export function fill(ready: Ready, text: string): string {
  return text.replaceAll(
    /\{(cp1|cp2|worker|absent)\}/g,
    (_, name: keyof Ready['addresses']) => ready.addresses[name],
  );
}

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

export async function call(
  ready: Ready,
  recorded: Recorded,
  /** Where an address of a machine is; the address itself under `lab serve`. */
  dial: Dial = (host, port) => ({ host, port }),
): Promise<{ code: string; message: string; body: unknown; alert?: string }> {
  const received: Message[] = [];
  const streams = recorded.kind !== 'unary';
  const bodies = () => received.map((message) => bodyOf(describeMethod(recorded.method).output, message));
  const body = () => (streams ? bodies() : bodies()[0]);
  const method = describeMethod(recorded.method);
  const place = dial(ready.addresses[recorded.endpoint], ready.port);
  const pair = ready.certificates[recorded.auth];
  const transport = createGrpcTransport({
    baseUrl: `https://${place?.host}:${place?.port}`,
    nodeOptions: { rejectUnauthorized: false, ...(pair ? { cert: pair.certificate, key: pair.key } : {}) },
  });
  const headers = new Headers();
  for (const [key, value] of Object.entries(recorded.metadata)) {
    for (const one of [value].flat()) headers.append(key, fill(ready, one));
  }
  const signal = AbortSignal.timeout(recorded.method.endsWith('/Watch') ? WATCH_MS : 10_000);
  try {
    const message = requestMessage(recorded);
    if (method.methodKind === 'server_streaming') {
      const stream = await transport.stream(asStreaming(method), signal, undefined, headers, only(message));
      for await (const one of stream.message) received.push(one);
    } else {
      const answer = await transport.unary(asUnary(method), signal, undefined, headers, message);
      received.push(answer.message);
    }
    return { code: 'OK', message: '', body: body() };
  } catch (error) {
    const failure = ConnectError.from(error);
    if (signal.aborted) {
      return { code: '(still open; cancelled by the client)', message: '', body: body() };
    }
    // A connection that TLS refused: grpc-go calls it unavailable.
    if (failure.code === Code.Internal || failure.code === Code.Canceled)
      return { code: 'UNAVAILABLE', message: '<client-side text>', body: body(), alert: alertOf(failure) };
    return { code: grpcName(failure.code), message: maskLines(failure.rawMessage), body: body() };
  }
}

/** The alert's name, as OpenSSL had it before 3.2. */
function alertOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (code.startsWith('ERR_SSL_')) return code.replace('SSL/TLS_ALERT', 'SSLV3_ALERT');
  }
  return '';
}

/** So long a watch is followed. */
const WATCH_MS = 600;

/** As the recordings have it: names of the wire, bytes in base64, defaults left out. */
function bodyOf(schema: DescMessage, message: Message): unknown {
  return toJson(schema, message, { useProtoFieldName: true, registry: EVENTS });
}

/** Types that an event may hold. */
const EVENTS = createRegistry(MachineStatusEventSchema, SequenceEventSchema, ServiceStateEventSchema);

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
