import type { DescMessage, DescMethod, Message } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type Interceptor,
  type StreamResponse,
  type UnaryResponse,
} from '@connectrpc/connect';
import type { Metadata } from '../../../clients/talos/gen/common/common_pb.js';
import { MetadataSchema } from '../../../clients/talos/gen/common/common_pb.js';
import { type Endpoint, fail, notAuthorized, rolesKey, targetKey } from './caller.js';
import { checkGeneration } from './generations.js';
import { mayCall } from './rules.js';

/**
 * apid: who a call is for (gRPC metadata `node` and `nodes`), then the role table on the machine that answers.
 * Follows internal/app/apid/pkg/director and the recordings `routing …`, `worker: …`.
 */
export function routing(findEndpoint: (address: string) => Endpoint | undefined): Interceptor {
  return (next) => async (request) => {
    const endpoint = request.contextValues.get(targetKey);
    if (!endpoint) fail(Code.Unavailable, 'the machine does not answer');
    const method = `/${request.service.typeName}/${request.method.name}`;
    const roles = request.contextValues.get(rolesKey);
    const answer = (target: Endpoint) => {
      checkGeneration(target.machine, request.service.typeName, request.method.name);
      if (!mayCall(method, roles)) notAuthorized();
      request.contextValues.set(targetKey, target);
      return next(request);
    };
    // In maintenance mode routing metadata is not looked at.
    if (!endpoint.machine.configured) return answer(endpoint);

    const route = readRoute(endpoint, request.header, method);
    if (route.kind === 'local') return answer(endpoint);
    if (route.kind === 'one') return answer(reach(endpoint, route.node, findEndpoint));
    if (request.stream) return manyStreams(route.nodes, (node) => answerOf(node), answer);
    const contentType = request.header.get('content-type') ?? 'application/grpc';
    return aggregate(request.method, contentType, route.nodes, (node) => answerOf(node), answer);

    function answerOf(node: string): Endpoint {
      return reach(endpoint as Endpoint, node, findEndpoint);
    }
  };
}

type Route = { kind: 'local' } | { kind: 'one'; node: string } | { kind: 'many'; nodes: string[] };

const ONE_TO_MANY =
  /^\/(machine\.MachineService|cluster\.ClusterService|inspect\.InspectService|storage\.StorageService|time\.TimeService)\//;

function readRoute(endpoint: Endpoint, header: Headers, method: string): Route {
  // HTTP/2 joins repeated metadata with commas; addresses have none.
  const values = (name: string) =>
    header
      .get(name)
      ?.split(',')
      .map((value) => value.trim()) ?? [];
  let node = values('node');
  let nodes = values('nodes');
  if (node.length > 1) fail(Code.InvalidArgument, 'node metadata must be single-valued');
  const isSelf = (address: string | undefined) => address !== undefined && isLocal(endpoint, address);
  const forwards = endpoint.machine.isControlPlane;
  if (!forwards) {
    if (isSelf(node[0])) node = [];
    if (nodes.length === 1 && isSelf(nodes[0])) nodes = [];
  }
  if (nodes.length > 0) {
    if (!ONE_TO_MANY.test(method)) {
      fail(Code.InvalidArgument, `one-2-many proxying is not supported for method ${method}`);
    }
    if (!forwards) fail(Code.PermissionDenied, 'no request forwarding');
    return { kind: 'many', nodes };
  }
  const [single] = node;
  if (single === undefined) return { kind: 'local' };
  if (!forwards) fail(Code.PermissionDenied, 'no request forwarding');
  return { kind: 'one', node: single };
}

function isLocal({ machine }: Endpoint, address: string): boolean {
  return address === machine.hostname || address === machine.fqdn || machine.isAt(address);
}

const DIAL_ERROR = 'connection error: desc = "transport: ';
const UNKNOWN_AUTHORITY =
  'authentication handshake failed: tls: failed to verify certificate: x509: certificate signed by unknown authority ' +
  '(possibly because of \\"x509: Ed25519 verification failure\\" while trying to verify candidate authority certificate \\"talos\\")';

function reach(
  endpoint: Endpoint,
  address: string,
  findEndpoint: (address: string) => Endpoint | undefined,
): Endpoint {
  if (isLocal(endpoint, address)) return endpoint;
  const target = findEndpoint(address);
  if (!target) {
    fail(
      Code.Unavailable,
      `${DIAL_ERROR}Error while dialing: dial tcp ${address}:50000: connect: connection refused"`,
    );
  }
  const trusted =
    target.machine.configured && target.machine.facts?.talosCa.crt === endpoint.machine.facts?.talosCa.crt;
  // A machine in maintenance mode, or of another cluster, has a certificate this one cannot verify.
  if (!trusted) fail(Code.Unavailable, `${DIAL_ERROR}${UNKNOWN_AUTHORITY}"`);
  return target;
}

type Answer = (target: Endpoint) => Promise<UnaryResponse | StreamResponse>;

/** One message per node; a node's failure is a message too, in an OK reply. */
async function aggregate(
  method: DescMethod,
  contentType: string,
  nodes: readonly string[],
  find: (node: string) => Endpoint,
  answer: Answer,
): Promise<UnaryResponse | StreamResponse> {
  const messages: Message[] = [];
  let envelope: UnaryResponse | undefined;
  for (const node of nodes) {
    try {
      const response = await answer(find(node));
      if (response.stream) continue;
      envelope = response;
      for (const message of messagesOf(response.message)) {
        setMetadata(message, create(MetadataSchema, { hostname: node }));
        messages.push(message);
      }
    } catch (error) {
      messages.push(failedMessage(method, node, ConnectError.from(error)));
    }
  }
  const message = create(method.output, { messages } as never);
  if (envelope) return { ...envelope, message };
  return {
    stream: false,
    service: method.parent,
    method: method as UnaryResponse['method'],
    header: new Headers({ 'content-type': contentType }),
    trailer: new Headers({ 'grpc-status': '0' }),
    message,
  };
}

async function manyStreams(
  nodes: readonly string[],
  find: (node: string) => Endpoint,
  answer: Answer,
): Promise<UnaryResponse | StreamResponse> {
  const first = await answer(find(nodes[0] ?? ''));
  if (!first.stream) return first;
  async function* all(response: StreamResponse) {
    for (const [index, node] of nodes.entries()) {
      const one = index === 0 ? response : await answer(find(node));
      if (!one.stream) continue;
      for await (const message of one.message) {
        setMetadata(message, create(MetadataSchema, { hostname: node }));
        yield message;
      }
    }
  }
  return { ...first, message: all(first) };
}

function messagesOf(message: Message): Message[] {
  return 'messages' in message && Array.isArray(message.messages) ? message.messages : [];
}

function setMetadata(message: Message, metadata: Metadata): void {
  Object.assign(message, { metadata });
}

function failedMessage(method: DescMethod, hostname: string, error: ConnectError): Message {
  const entry = method.output.fields.find((field) => field.name === 'messages');
  const schema = entry?.fieldKind === 'list' && entry.listKind === 'message' ? entry.message : undefined;
  if (!schema) throw error;
  const metadata = create(MetadataSchema, {
    hostname,
    error: `rpc error: code = ${Code[error.code]} desc = ${error.rawMessage}`,
    status: { code: error.code, message: error.rawMessage },
  });
  return create(schema as DescMessage, { metadata } as never);
}
