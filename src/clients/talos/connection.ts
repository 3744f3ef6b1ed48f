import { constants } from 'node:http2';
import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext, type SecureContext } from 'node:tls';
import type { DescService } from '@bufbuild/protobuf';
import { type Client, createClient, type Interceptor, type Transport } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import type { WriteGate } from '../../model/write-gate.js';
import { makeTalosError } from './errors.js';
import { TALOS_API_PORT } from './probe.js';
import { gateWrites } from './write-methods.js';

/** Where a client finds `ip:port`; `undefined`: nothing answers there. The lab gives its own. */
export type Dial = (ip: string, port: number) => { host: string; port: number } | undefined;

/** PEM texts of a cluster's Talos CA and of a client certificate signed by it. */
export interface TalosCredentials {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

export type TalosTrust =
  | ({ readonly kind: 'mutual' } & TalosCredentials)
  | {
      /**
       * A machine without a config has a certificate of its own making and asks for none: nothing can be verified.
       * What is trusted instead is the way to it, so the caller says why this address is the machine it means
       * (we started that VM, with this address on its cloud-init drive or this MAC in the lease). A stranger in the
       * same network could answer there and would be sent the machine config with the cluster's secrets.
       */
      readonly kind: 'maintenance';
      readonly because: string;
    };

export interface ConnectionOptions {
  readonly address: string;
  readonly port?: number;
  readonly trust: TalosTrust;
  readonly dial?: Dial;
}

/** What calls are made with. */
export interface Line {
  readonly where: string;
  /** PEM of the certificate that the machine is shown; absent in maintenance mode. */
  readonly certificate?: string;
  client<T extends DescService>(service: T): Client<T>;
  drop(): void;
}

/**
 * A session that ends because of another call closes its streams without an error. Connect takes such an end for nothing,
 * and a call that has had no answer would wait for its deadline: ten minutes of a pull, when the machine reboots.
 */
class Sessions extends Http2SessionManager {
  override async request(...args: Parameters<Http2SessionManager['request']>) {
    const stream = await super.request(...args);
    let isAnswered = false;
    stream.once('response', () => {
      isAnswered = true;
    });
    stream.once('close', () => {
      if (!isAnswered && stream.rstCode === constants.NGHTTP2_NO_ERROR && stream.listenerCount('error') > 0)
        stream.emit('error', Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }));
    });
    return stream;
  }
}

/** One HTTP/2 connection to one machine, opened when first used and again after the machine was away. */
export class Connection implements Line {
  readonly where: string;
  readonly certificate?: string;
  #open: { place: string; sessions: Http2SessionManager } | undefined;

  constructor(private readonly options: ConnectionOptions) {
    this.where = `${options.address}:${options.port ?? TALOS_API_PORT}`;
    if (options.trust.kind === 'mutual') this.certificate = options.trust.certificate;
  }

  client<T extends DescService>(service: T): Client<T> {
    return createClient(service, this.#transport());
  }

  /** The same connection; every call that may change something passes the gate. */
  behind(gate: WriteGate): Line {
    return {
      where: this.where,
      ...(this.certificate !== undefined && { certificate: this.certificate }),
      client: (service) => createClient(service, this.#transport(gate)),
      drop: () => this.drop(),
    };
  }

  /**
   * After an error: a connection that was refused a certificate stays open and would refuse for ever. It is closed a turn
   * later: the error may be told from inside of nghttp2 as it reads, and with other calls under way Node 20 then packs
   * empty frames without end.
   */
  drop(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open) setImmediate(() => open.sessions.abort());
  }

  #transport(gate?: WriteGate): Transport {
    const { address, port = TALOS_API_PORT, dial } = this.options;
    const place = dial ? dial(address, port) : { host: address, port };
    if (!place) {
      this.drop();
      throw makeTalosError('talos.unreachable', 'no answer from this address', this.where);
    }
    const baseUrl = `https://${place.host.includes(':') ? `[${place.host}]` : place.host}:${place.port}`;
    if (this.#open?.place !== baseUrl) {
      this.drop();
      const sessions = new Sessions(baseUrl, { idleConnectionTimeoutMs: 60_000 }, this.#tls());
      this.#open = { place: baseUrl, sessions };
    }
    const { sessions } = this.#open;
    const interceptors: Interceptor[] = gate ? [gateWrites(gate, () => sessions.connect())] : [];
    return createGrpcTransport({
      baseUrl,
      sessionManager: sessions,
      readMaxBytes: 32 * 1024 * 1024,
      interceptors,
    });
  }

  #tls() {
    const { address, trust } = this.options;
    // An IP address is no server name (RFC 6066); an empty one keeps Node from sending it.
    const servername = isIP(address) ? '' : address;
    if (trust.kind === 'maintenance')
      return { servername, minVersion: MIN_VERSION, rejectUnauthorized: false };
    return {
      servername,
      secureContext: secureContextOf(trust),
      // Through a dial table the host is loopback; the certificate must be for the machine's own address.
      checkServerIdentity: (_host: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
        checkServerIdentity(address, certificate),
    };
  }
}

const MIN_VERSION = 'TLSv1.3' as const;

/** Read once for all machines of a cluster: keys and certificates cost more than the handshake. */
const contexts = new WeakMap<TalosTrust, SecureContext>();

function secureContextOf(trust: TalosTrust & { kind: 'mutual' }): SecureContext {
  const context =
    contexts.get(trust) ??
    createSecureContext({
      ca: trust.ca,
      cert: trust.certificate,
      key: readableKey(trust.key),
      minVersion: MIN_VERSION,
    });
  contexts.set(trust, context);
  return context;
}

/** Talos labels PKCS#8 Ed25519 keys `ED25519 PRIVATE KEY`; OpenSSL knows the same bytes as `PRIVATE KEY`. */
export function readableKey(pem: string): string {
  return pem.replaceAll('ED25519 PRIVATE KEY', 'PRIVATE KEY');
}
