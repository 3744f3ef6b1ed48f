/** What every part of the controller is given. */
import type { KubernetesClient } from '../clients/kubernetes/index.js';
import type { Clock } from '../model/clock.js';
import type { LoadedConfig, Target } from '../session/index.js';
import type { LeaseBook } from './lease/lease-book.js';
import type { Log } from './serve/log.js';
import type { Metrics } from './serve/metrics.js';
import type { LookGate } from './sites/look-gate.js';
import type { SiteBook } from './sites/site-book.js';

export interface ControllerContext {
  readonly client: KubernetesClient;
  /** The wall's: leases, windows and intervals go by it, also where a lab has a clock of its own. */
  readonly time: Clock;
  /** This replica. */
  readonly identity: string;
  /** Which fleet: locks in Proxmox are taken over within one. */
  readonly fleet: string;
  /** The controller's own namespace: tokens of sites and leases of hosts are there. */
  readonly namespace: string;
  /** Namespaces with clusters; none: all of them. */
  readonly namespaces: readonly string[];
  /** Configs are written here before they are read; nothing in it is needed after a restart. */
  readonly workFolder: string;
  /** PEM of the authority of the API that the controller uses: a cluster with the same one is the one it runs in. */
  readonly authority: string;
  /** What sessions work on: the Proxmox of the site, or a lab. */
  readonly targetFor: (loaded: LoadedConfig) => Target;
  readonly leases: LeaseBook;
  /** Absent: sites are asked without a limit. */
  readonly sites?: SiteBook;
  /** Absent: clusters are looked at as they come. */
  readonly looks?: LookGate;
  /** Told of every request to Proxmox. */
  readonly debug?: (message: string) => void;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Aborted when this replica hands over. */
  readonly signal: AbortSignal;
}
