import type { KubeObject } from '../object.js';
import type { KindRules, Subresource } from './resource-type.js';

export interface KindRow {
  readonly kind: string;
  readonly rules: KindRules;
  /** `all` and `api-extensions` of `kubectl get`. */
  readonly categories?: readonly string[];
  readonly short?: readonly string[];
  readonly cluster?: true;
  readonly status?: true;
  readonly scale?: true;
  readonly plural?: string;
  readonly extra?: readonly Subresource[];
  readonly verbs?: readonly string[];
  readonly storageVersion?: string;
  /** `v1` where nothing else is said. */
  readonly version?: string;
  /** The module of its field facts, where it is not the group's. */
  readonly module?: string;
  readonly store?: string;
  readonly convert?: (object: KubeObject) => KubeObject;
}

export interface KindGroup {
  readonly module: string;
  readonly kinds: readonly KindRow[];
}
