/**
 * Cilium by a Job of cilium-cli, as the Terraform module's bootstrap manifest did, but applied through the API: Talos
 * never updates an inline manifest, and would run the Job again at the next boot.
 */
import type { Config } from '../../config/config.js';
import { sha256Hex } from '../../formats/text/hash.js';
import { isMapping } from '../../formats/text/mapping.js';
import { canonicalJson } from '../canonical-json.js';
import { ciliumValues, valuesText } from './cilium-values.js';
import { APPLIED, type KubeObject, MANAGED_BY } from './managed-object.js';

export const CILIUM_NAMESPACE = 'kube-system';
export const CILIUM_VALUES = 'cilium-values';
/** Account, binding and Job. */
export const CILIUM_INSTALLER = 'cilium-install';

export interface CiliumDesign {
  /** `v1.20.2` */
  readonly version: string;
  readonly cliImage: string;
  readonly valuesText: string;
  /** Its Gateway API controller is on: the definitions must be there before it is installed. */
  readonly gatewayApi: boolean;
  /** Over version and values; stands on the ConfigMap once they are in effect. */
  readonly hash: string;
}

export type CiliumCommand = 'install' | 'upgrade';

/** `undefined`: no Cilium, or by a manifest of the user's own. */
export function ciliumDesign(config: Config): CiliumDesign | undefined {
  const { cilium } = config.kubernetes;
  if (!cilium || cilium.manifest) return undefined;
  const version = cilium.version.startsWith('v') ? cilium.version : `v${cilium.version}`;
  const values = ciliumValues(config, cilium);
  const text = valuesText(values);
  return {
    version,
    cliImage: cilium.cliImage,
    valuesText: text,
    gatewayApi: isMapping(values.gatewayAPI) && values.gatewayAPI.enabled === true,
    hash: sha256Hex(canonicalJson([version, text])).slice(0, 32),
  };
}

/** Without the hash while the Job has not succeeded: a run that is cut off is seen by the next one. */
export function ciliumValuesObject(
  design: Pick<CiliumDesign, 'valuesText' | 'hash'>,
  done: boolean,
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: CILIUM_VALUES,
      namespace: CILIUM_NAMESPACE,
      labels: MANAGED_BY,
      ...(done && { annotations: { [APPLIED]: design.hash } }),
    },
    data: { 'values.yaml': design.valuesText },
  };
}

export function ciliumAccount(): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: CILIUM_INSTALLER, namespace: CILIUM_NAMESPACE, labels: MANAGED_BY },
  };
}

/** All rights, for as long as the Job runs. */
export function ciliumBinding(): KubeObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: CILIUM_INSTALLER, labels: MANAGED_BY },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: CILIUM_INSTALLER, namespace: CILIUM_NAMESPACE }],
  };
}

export function ciliumJob(design: CiliumDesign, command: CiliumCommand): KubeObject {
  const labels = { ...MANAGED_BY, app: CILIUM_INSTALLER };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: CILIUM_INSTALLER,
      namespace: CILIUM_NAMESPACE,
      labels,
      annotations: { [APPLIED]: `${command}-${design.hash}` },
    },
    spec: {
      backoffLimit: 10,
      template: {
        metadata: { labels: { app: CILIUM_INSTALLER } },
        spec: {
          restartPolicy: 'OnFailure',
          serviceAccountName: CILIUM_INSTALLER,
          // There is no pod network yet, and no node is Ready.
          hostNetwork: true,
          tolerations: [{ operator: 'Exists' }],
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  {
                    matchExpressions: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' }],
                  },
                ],
              },
            },
          },
          containers: [
            {
              name: CILIUM_INSTALLER,
              image: design.cliImage,
              command: ['cilium', command, ...flags(design, command)],
              env: [
                {
                  name: 'KUBERNETES_SERVICE_HOST',
                  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } },
                },
                { name: 'KUBERNETES_SERVICE_PORT', value: '6443' },
              ],
              volumeMounts: [
                {
                  name: 'values',
                  mountPath: '/root/app/values.yaml',
                  subPath: 'values.yaml',
                  readOnly: true,
                },
              ],
            },
          ],
          volumes: [{ name: 'values', configMap: { name: CILIUM_VALUES } }],
        },
      },
    },
  };
}

function flags(design: CiliumDesign, command: CiliumCommand): string[] {
  return [
    `--version=${design.version}`,
    '--values=/root/app/values.yaml',
    // Else a value that was taken out of oxherd.yaml would stay.
    ...(command === 'upgrade' ? ['--reset-values'] : []),
  ];
}
