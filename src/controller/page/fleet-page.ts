/** What the controller's page shows: the clusters of the fleet, each read by a session that cannot write. */
import { join } from 'node:path';
import { OxherdError } from '../../model/error.js';
import type { Session } from '../../session/index.js';
import { CLUSTERS, type FleetObject } from '../api/group.js';
import { readCluster, readStatus } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import { openCluster, prepareAccess } from '../reconcile/open-cluster.js';
import { clusterFolder } from '../reconcile/source.js';
import { type PageUser, Reviews } from './reviews.js';

export interface PageCluster {
  /** `namespace:name`, which no name can hold. */
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  /** Where this replica keeps journals of the cluster. */
  readonly folder: string;
  readonly reported: Reported;
  open(signal: AbortSignal): Promise<Session>;
}

/** What the controller wrote on the cluster's object. */
interface Reported {
  readonly health: Word;
  readonly sync: Word;
  readonly needs: readonly { readonly what: string; readonly level: 'failed' | 'note' }[];
}

interface Word {
  readonly level: 'ok' | 'note' | 'failed' | 'unknown' | 'busy';
  readonly text: string;
}

export interface FleetPage {
  /** Credentials that sessions were opened with: no answer may hold one. */
  readonly secrets: ReadonlySet<string>;
  list(): Promise<readonly PageCluster[]>;
  userOf(token: string): Promise<PageUser | undefined>;
  mayRead(user: PageUser, id: string): Promise<boolean>;
}

/** Configs are written for the page apart from those that the reconciler reads. */
const FOLDER = '.page';
/** Shorter values are words. */
const LEAST_SECRET = 8;

export function fleetPage(context: ControllerContext): FleetPage {
  const reviews = new Reviews(context.client, () => context.time.elapsed());
  const own: ControllerContext = { ...context, workFolder: join(context.workFolder, FOLDER) };
  const turns = new Map<string, Promise<unknown>>();
  const secrets = new Set<string>();
  return {
    secrets,
    async list() {
      const { client, namespaces } = context;
      const lists =
        namespaces.length === 0
          ? [await client.list(CLUSTERS)]
          : await Promise.all(namespaces.map((namespace) => client.list(CLUSTERS, { namespace })));
      return lists.flat().map((object) => pageCluster({ context, own, turns, secrets }, object));
    },
    userOf: (token) => reviews.userOf(token),
    mayRead(user, id) {
      const [namespace = '', name = ''] = id.split(':');
      return reviews.mayRead(user, namespace, name);
    },
  };
}

interface Page {
  readonly context: ControllerContext;
  readonly own: ControllerContext;
  readonly turns: Map<string, Promise<unknown>>;
  readonly secrets: Set<string>;
}

function pageCluster({ context, own, turns, secrets }: Page, object: FleetObject): PageCluster {
  const { name, namespace = '' } = object.metadata;
  const id = `${namespace}:${name}`;
  return {
    id,
    namespace,
    name,
    folder: clusterFolder(context, namespace, name),
    reported: reportedOf(object),
    async open(signal) {
      const before = turns.get(id) ?? Promise.resolve();
      // One at a time: the files of the config are written where the one before may still read them.
      const access = before
        .catch(() => undefined)
        .then(async () => {
          const found = await context.client.get(CLUSTERS, name, namespace);
          if (!found)
            throw new OxherdError('fleet.missing', `there is no OxherdCluster ${namespace}/${name}`);
          return prepareAccess(own, readCluster(found));
        });
      turns.set(id, access);
      const { env } = await access;
      for (const [key, value] of Object.entries(env))
        if (key !== 'HOME' && value.length >= LEAST_SECRET)
          secrets.add(value).add(value.replace(/^[^=]*=/, ''));
      return openCluster(own, await access, { signal });
    },
  };
}

/** Conditions as words, with the same urgency as `kubectl get oxherdclusters` shows. */
function reportedOf(object: FleetObject): Reported {
  const conditions = new Map(readStatus(object).conditions.map((one) => [one.type, one]));
  const holds = (type: string) => conditions.get(type)?.status === 'True';
  const wordsOf = (type: string) => {
    const { reason = '', message = '' } = conditions.get(type) ?? {};
    return message === '' ? reason : message;
  };
  const needs: { what: string; level: 'failed' | 'note' }[] = [];
  if (holds('Stalled')) needs.push({ what: wordsOf('Stalled'), level: 'failed' });
  if (holds('AwaitingApproval'))
    needs.push({ what: `waits for an approval: ${wordsOf('AwaitingApproval')}`, level: 'note' });
  if (holds('Drifted')) needs.push({ what: `drift: ${wordsOf('Drifted')}`, level: 'note' });
  const healthy = conditions.get('Healthy')?.status;
  const inSync = conditions.get('InSync')?.status;
  if (healthy === 'False') needs.unshift({ what: wordsOf('Healthy'), level: 'failed' });
  return {
    health:
      healthy === 'True'
        ? { level: 'ok', text: 'healthy' }
        : healthy === 'False'
          ? { level: 'failed', text: 'not healthy' }
          : { level: 'unknown', text: 'not observed' },
    sync: holds('Reconciling')
      ? { level: 'busy', text: 'a run is under way' }
      : inSync === 'True'
        ? { level: 'ok', text: 'in sync' }
        : inSync === 'False'
          ? { level: 'note', text: 'differs from its config' }
          : { level: 'unknown', text: 'not observed' },
    needs,
  };
}
