/** The group of the fleet's kinds, and its resources for the client. */
import type { KubernetesObject, Resource } from '../../clients/kubernetes/index.js';
import { PUBLISHER } from '../../model/publisher.js';

export const GROUP = PUBLISHER.domain;
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;

/** On every object that the controller creates. */
export const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'oxherd' };
export const CLUSTER_LABEL = `${GROUP}/cluster`;
export const FINALIZER = `${GROUP}/cluster`;
/** Changing its value asks for a plan now: `kubectl annotate`, `fleet plan`. */
export const RECONCILE_AT = `${GROUP}/reconcile-at`;

/** An object as the API gives it; its spec is parsed before it is used. */
export interface FleetObject extends KubernetesObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

function fleetResource(kind: string, namespaced: boolean): Resource<FleetObject> {
  return { apiVersion: API_VERSION, kind, plural: `${kind.toLowerCase()}s`, namespaced };
}

export const SITES = fleetResource('ProxmoxSite', false);
export const CLUSTERS = fleetResource('OxherdCluster', true);
export const PLANS = fleetResource('OxherdPlan', true);
export const APPROVALS = fleetResource('OxherdApproval', true);
export const MAINTENANCES = fleetResource('HostMaintenance', false);

interface Lease extends KubernetesObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

export const LEASES: Resource<Lease> = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};
