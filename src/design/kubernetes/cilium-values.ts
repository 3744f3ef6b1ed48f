/** Helm values for Cilium on Talos (the Talos guide "Deploy Cilium CNI"), and the user's own over them. */
import { stringify } from 'yaml';
import type { Config } from '../../config/config.js';
import type { Fragment } from '../../config/config-values.js';
import { isMapping, ownValue, setOwn } from '../../formats/text/mapping.js';

type Cilium = NonNullable<Config['kubernetes']['cilium']>;

/** Talos lets no container load kernel modules, so SYS_MODULE is not among them. */
const AGENT_CAPABILITIES = [
  'CHOWN',
  'KILL',
  'NET_ADMIN',
  'NET_RAW',
  'IPC_LOCK',
  'SYS_ADMIN',
  'SYS_RESOURCE',
  'DAC_OVERRIDE',
  'FOWNER',
  'SETGID',
  'SETUID',
];

export function ciliumValues(config: Config, cilium: Cilium): Fragment {
  const workers = config.nodes.filter((node) => node.role === 'worker').length;
  const schedulable = workers + (config.cluster.scheduleOnControlPlanes ? config.nodes.length - workers : 0);
  const defaults: Fragment = {
    ipam: { mode: 'kubernetes' },
    kubeProxyReplacement: true,
    // KubePrism: the API through whichever control plane answers, also while there is no network yet.
    k8sServiceHost: 'localhost',
    k8sServicePort: 7445,
    cgroup: { autoMount: { enabled: false }, hostRoot: '/sys/fs/cgroup' },
    securityContext: {
      capabilities: {
        ciliumAgent: AGENT_CAPABILITIES,
        cleanCiliumState: ['NET_ADMIN', 'SYS_ADMIN', 'SYS_RESOURCE'],
      },
    },
    operator: { replicas: Math.min(2, Math.max(1, schedulable)) },
    l2announcements: { enabled: cilium.l2Announcements },
    externalIPs: { enabled: cilium.l2Announcements },
    ...(config.kubernetes.loadBalancer?.mode === 'bgp' && { bgpControlPlane: { enabled: true } }),
    // The operator needs the Gateway API's definitions to be there.
    gatewayAPI: { enabled: cilium.gatewayApi && config.kubernetes.gatewayApi !== undefined },
    hubble: cilium.hubble
      ? // Certificates by a CronJob: those of Helm are random at every rendering.
        {
          enabled: true,
          relay: { enabled: true },
          ui: { enabled: true },
          tls: { auto: { enabled: true, method: 'cronJob' } },
        }
      : { enabled: false },
  };
  return cilium.values ? merged(defaults, cilium.values) : defaults;
}

/** As Helm merges value files: mappings key by key, everything else replaced; `null` removes. */
export function merged(base: Fragment, over: Fragment): Fragment {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = ownValue(result, key);
    if (value === null) delete result[key];
    else setOwn(result, key, isMapping(before) && isMapping(value) ? merged(before, value) : value);
  }
  return result;
}

export function valuesText(values: Fragment): string {
  return stringify(values, { compat: 'yaml-1.1', sortMapEntries: true, lineWidth: 0 });
}
