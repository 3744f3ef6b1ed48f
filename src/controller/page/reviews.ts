/** Who a token belongs to and what that user may read, as the API server says; asked again after a few seconds. */
import type { KubernetesClient } from '../../clients/kubernetes/index.js';
import { CLUSTERS, GROUP } from '../api/group.js';

/** As the API server knows them. */
export interface PageUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const TOKEN_REVIEWS = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
} as const;
const ACCESS_REVIEWS = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
} as const;

/** A token that is revoked, or a role that is taken away, counts for so long at most. */
const KEPT_MS = 10_000;
const MOST_KEPT = 2_000;
/** No token is longer; what is, is not sent on. */
const LONGEST_TOKEN = 16 * 1024;

interface Kept<T> {
  readonly until: number;
  readonly value: Promise<T>;
}

export class Reviews {
  readonly #users = new Map<string, Kept<PageUser | undefined>>();
  readonly #allowed = new Map<string, Kept<boolean>>();

  constructor(
    private readonly client: KubernetesClient,
    private readonly now: () => number,
  ) {}

  /** `undefined`: the API server does not know it. */
  userOf(token: string): Promise<PageUser | undefined> {
    if (token === '' || token.length > LONGEST_TOKEN) return Promise.resolve(undefined);
    return this.#keep(this.#users, token, () => this.#reviewToken(token));
  }

  /** Whether the user could `kubectl get` the cluster's object. */
  mayRead(user: PageUser, namespace: string, name: string): Promise<boolean> {
    const key = JSON.stringify([user, namespace, name]);
    return this.#keep(this.#allowed, key, () => this.#reviewAccess(user, namespace, name));
  }

  #keep<T>(kept: Map<string, Kept<T>>, key: string, ask: () => Promise<T>): Promise<T> {
    const now = this.now();
    const known = kept.get(key);
    if (known && known.until > now) return known.value;
    if (kept.size >= MOST_KEPT) kept.clear();
    const value = ask();
    kept.set(key, { until: now + KEPT_MS, value });
    // An error is no answer: the next one who asks tries again.
    value.catch(() => kept.delete(key));
    return value;
  }

  async #reviewToken(token: string): Promise<PageUser | undefined> {
    const { authenticated, user } = statusOf(await this.#create(TOKEN_REVIEWS, { token }));
    if (authenticated !== true || !isObject(user) || typeof user.username !== 'string') return undefined;
    const { username, uid, groups, extra } = user;
    return {
      name: username,
      groups: textsIn(groups),
      ...(typeof uid === 'string' && { uid }),
      ...(isObject(extra) && {
        extra: Object.fromEntries(Object.entries(extra).map(([key, value]) => [key, textsIn(value)])),
      }),
    };
  }

  async #reviewAccess(user: PageUser, namespace: string, name: string): Promise<boolean> {
    const { name: username, ...rest } = user;
    const resourceAttributes = { group: GROUP, resource: CLUSTERS.plural, verb: 'get', namespace, name };
    const review = await this.#create(ACCESS_REVIEWS, { user: username, ...rest, resourceAttributes });
    return statusOf(review).allowed === true;
  }

  #create(
    kind: typeof TOKEN_REVIEWS | typeof ACCESS_REVIEWS,
    spec: Readonly<Record<string, unknown>>,
  ): Promise<unknown> {
    return this.client.create(kind, { apiVersion: kind.apiVersion, kind: kind.kind, spec });
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function statusOf(review: unknown): Readonly<Record<string, unknown>> {
  return isObject(review) && isObject(review.status) ? review.status : {};
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
