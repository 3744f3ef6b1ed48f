import { at, listOf, numberOf, objOf, textOf } from '../json.js';
import { controllerOf, type KubeObject } from '../object.js';
import { selectorText } from '../selectors/object-selector.js';
import type { TableColumn } from './column.js';
import { age as since } from './duration.js';

const SHOWN = 3;

/** The first three, and how many more there are. */
function someOf(all: readonly string[], none: string): string {
  const shown = all.slice(0, SHOWN).join(',');
  return all.length > SHOWN ? `${shown} + ${all.length - SHOWN} more...` : shown || none;
}

const column = (name: string, cell: TableColumn['cell'], type = 'string'): TableColumn => ({
  name,
  type,
  cell,
});
const count = (name: string, ...path: string[]): TableColumn =>
  column(name, (object) => listOf(at(object, ...path)).length, 'integer');

function endpointsText(endpoints: KubeObject): string {
  const all = listOf(endpoints.subsets).flatMap((subset) => {
    const addresses = listOf(at(subset, 'addresses')).map((address) => textOf(at(address, 'ip')));
    const ports = listOf(at(subset, 'ports')).map((port) => at(port, 'port'));
    return ports.length === 0
      ? addresses
      : ports.flatMap((port) => addresses.map((address) => `${address}:${port}`));
  });
  return someOf(all, '<none>');
}

function controllerText(revision: KubeObject): string {
  const controller = controllerOf(revision);
  if (!controller) return '<none>';
  const [group = ''] = controller.apiVersion.includes('/') ? controller.apiVersion.split('/') : [];
  return `${controller.kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${controller.name}`;
}

/** What the jobs of a cron job run. */
function jobColumns(): TableColumn[] {
  const list = (field: string) => (job: KubeObject) =>
    listOf(at(job, 'spec', 'jobTemplate', 'spec', 'template', 'spec', 'containers'))
      .map((container) => textOf(objOf(container)[field]))
      .join(',');
  const selector = (job: KubeObject) =>
    selectorText(objOf(at(job, 'spec', 'jobTemplate', 'spec', 'selector')));
  return [
    { ...column('Containers', list('name')), wide: true },
    { ...column('Images', list('image')), wide: true },
    { ...column('Selector', selector), wide: true },
  ];
}

/** `cpu: <unknown>/80%`: there is nothing that measures. */
function targetsText(autoscaler: KubeObject): string {
  const metrics = listOf(at(autoscaler, 'spec', 'metrics')).map((metric) => objOf(objOf(metric).resource));
  const old = at(autoscaler, 'spec', 'targetCPUUtilizationPercentage');
  const texts = metrics.map(({ name, target }) => {
    const { averageUtilization, averageValue } = objOf(target);
    const want = averageUtilization === undefined ? textOf(averageValue) : `${averageUtilization}%`;
    return `${textOf(name)}: <unknown>/${want}`;
  });
  return [...texts, ...(old === undefined ? [] : [`cpu: <unknown>/${old}%`])].join(', ') || '<none>';
}

function quotaText(quota: KubeObject, limits: boolean): string {
  const hard = objOf(at(quota, 'status', 'hard'));
  const used = objOf(at(quota, 'status', 'used'));
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits') === limits)
    .sort()
    .map((name) => `${name}: ${textOf(used[name]) || '0'}/${textOf(hard[name])}`)
    .join(', ');
}

function hostsText(ingress: KubeObject): string {
  const hosts = listOf(at(ingress, 'spec', 'rules')).map((rule) => textOf(at(rule, 'host')));
  return someOf(
    hosts.filter((host) => host !== ''),
    '*',
  );
}

function conditionText(request: KubeObject): string {
  const types = listOf(at(request, 'status', 'conditions')).map((condition) => textOf(at(condition, 'type')));
  const issued = at(request, 'status', 'certificate') === undefined ? [] : ['Issued'];
  return [...types, ...issued].join(',') || 'Pending';
}

/** Of the kinds that people look at less often. */
export function moreColumns(name: TableColumn, age: TableColumn): Record<string, TableColumn[]> {
  return { ...workColumns(name, age), ...networkColumns(name, age), ...clusterColumns(name, age) };
}

function workColumns(name: TableColumn, age: TableColumn): Record<string, TableColumn[]> {
  return {
    'controllerrevisions.apps': [
      name,
      column('Controller', controllerText),
      column('Revision', (revision) => String(numberOf(revision.revision))),
      age,
    ],
    'cronjobs.batch': [
      name,
      column('Schedule', (job) => at(job, 'spec', 'schedule')),
      column('Timezone', (job) => textOf(at(job, 'spec', 'timeZone')) || '<none>'),
      column('Suspend', (job) => (at(job, 'spec', 'suspend') === true ? 'True' : 'False'), 'boolean'),
      count('Active', 'status', 'active'),
      column('Last Schedule', (job, now) => {
        const last = at(job, 'status', 'lastScheduleTime');
        return last === undefined ? '<none>' : since(last, now);
      }),
      age,
      ...jobColumns(),
    ],
    'horizontalpodautoscalers.autoscaling': [
      name,
      column(
        'Reference',
        (one) =>
          `${textOf(at(one, 'spec', 'scaleTargetRef', 'kind'))}/${textOf(at(one, 'spec', 'scaleTargetRef', 'name'))}`,
      ),
      column('Targets', targetsText),
      column('MinPods', (one) => String(at(one, 'spec', 'minReplicas') ?? '<unset>')),
      column('MaxPods', (one) => numberOf(at(one, 'spec', 'maxReplicas'))),
      column('Replicas', (one) => numberOf(at(one, 'status', 'currentReplicas'))),
      age,
    ],
  };
}

function networkColumns(name: TableColumn, age: TableColumn): Record<string, TableColumn[]> {
  return {
    endpoints: [name, column('Endpoints', endpointsText), age],
    'endpointslices.discovery.k8s.io': [
      name,
      column('AddressType', (slice) => slice.addressType),
      column('Ports', (slice) =>
        someOf(
          listOf(slice.ports).map((port) => String(at(port, 'port') ?? at(port, 'name') ?? '*')),
          '<unset>',
        ),
      ),
      column('Endpoints', (slice) =>
        someOf(
          listOf(slice.endpoints).flatMap((endpoint) => listOf(at(endpoint, 'addresses')).map(textOf)),
          '<unset>',
        ),
      ),
      age,
    ],
    'ingresses.networking.k8s.io': [
      name,
      column('Class', (one) => textOf(at(one, 'spec', 'ingressClassName')) || '<none>'),
      column('Hosts', hostsText),
      column('Address', (one) =>
        listOf(at(one, 'status', 'loadBalancer', 'ingress'))
          .map((item) => textOf(at(item, 'ip')) || textOf(at(item, 'hostname')))
          .join(','),
      ),
      column('Ports', (one) => (listOf(at(one, 'spec', 'tls')).length > 0 ? '80, 443' : '80')),
      age,
    ],
    'ingressclasses.networking.k8s.io': [
      name,
      column('Controller', (one) => at(one, 'spec', 'controller')),
      column('Parameters', (one) => {
        const { kind, name: of } = objOf(at(one, 'spec', 'parameters'));
        return kind === undefined ? '<none>' : `${textOf(kind)}/${textOf(of)}`;
      }),
      age,
    ],
    'networkpolicies.networking.k8s.io': [
      name,
      column('Pod-Selector', (one) => selectorText(objOf(at(one, 'spec', 'podSelector')))),
      age,
    ],
  };
}

function clusterColumns(name: TableColumn, age: TableColumn): Record<string, TableColumn[]> {
  const createdAt = column('Created At', (object) => object.metadata.creationTimestamp, 'date');
  return {
    limitranges: [name, createdAt],
    resourcequotas: [
      name,
      column('Request', (quota) => quotaText(quota, false)),
      column('Limit', (quota) => quotaText(quota, true)),
      age,
    ],
    'certificatesigningrequests.certificates.k8s.io': [
      name,
      age,
      column('SignerName', (one) => at(one, 'spec', 'signerName')),
      column('Requestor', (one) => at(one, 'spec', 'username')),
      column('RequestedDuration', () => '<none>'),
      column('Condition', conditionText),
    ],
    'priorityclasses.scheduling.k8s.io': [
      name,
      column('Value', (one) => numberOf(one.value), 'integer'),
      column('Global-Default', (one) => one.globalDefault === true, 'boolean'),
      age,
      column('PreemptionPolicy', (one) => one.preemptionPolicy),
    ],
    'csinodes.storage.k8s.io': [name, count('Drivers', 'spec', 'drivers'), age],
    'runtimeclasses.node.k8s.io': [name, column('Handler', (one) => one.handler), age],
    'mutatingwebhookconfigurations.admissionregistration.k8s.io': [name, count('Webhooks', 'webhooks'), age],
    'validatingwebhookconfigurations.admissionregistration.k8s.io': [
      name,
      count('Webhooks', 'webhooks'),
      age,
    ],
  };
}
