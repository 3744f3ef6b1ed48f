import { at, listOf, objOf, textOf } from '../json.js';
import { isEstablished } from '../kinds/definition.js';
import { type ResourceType, resourceKey } from '../kinds/resource-type.js';
import type { KubeObject } from '../object.js';
import { selectorText } from '../selectors/object-selector.js';
import type { TableColumn } from './column.js';
import { age } from './duration.js';
import { moreColumns } from './more-columns.js';
import { nodeColumns, podColumns } from './node-pod-columns.js';
import { storageColumns } from './storage-columns.js';
import { workloadColumns } from './workload-columns.js';

const name: TableColumn = { name: 'Name', cell: (object) => object.metadata.name };
const ageColumn: TableColumn = {
  name: 'Age',
  cell: (object, now) => age(object.metadata.creationTimestamp, now),
};
const createdAt: TableColumn = {
  name: 'Created At',
  type: 'date',
  cell: (object) => object.metadata.creationTimestamp,
};

function size(value: unknown): number {
  return Object.keys(objOf(value)).length;
}

/** `store key → columns`, as the printers of kube-apiserver have them (`pkg/printers/internalversion`). */
const COLUMNS: Readonly<Record<string, readonly TableColumn[]>> = {
  nodes: nodeColumns(name, ageColumn),
  pods: podColumns(name, ageColumn),
  ...storageColumns(name, ageColumn),
  ...workloadColumns(name, ageColumn),
  ...moreColumns(name, ageColumn),
  namespaces: [name, { name: 'Status', cell: (object) => at(object, 'status', 'phase') }, ageColumn],
  secrets: [
    name,
    { name: 'Type', cell: (object) => object.type },
    { name: 'Data', cell: (object) => size(object.data) },
    ageColumn,
  ],
  configmaps: [
    name,
    { name: 'Data', cell: (object) => size(object.data) + size(object.binaryData) },
    ageColumn,
  ],
  serviceaccounts: [name, ageColumn],
  'poddisruptionbudgets.policy': [
    name,
    { name: 'Min Available', cell: (object) => limitText(at(object, 'spec', 'minAvailable')) },
    { name: 'Max Unavailable', cell: (object) => limitText(at(object, 'spec', 'maxUnavailable')) },
    {
      name: 'Allowed Disruptions',
      type: 'integer',
      cell: (object) => at(object, 'status', 'disruptionsAllowed') ?? 0,
    },
    ageColumn,
  ],
  'leases.coordination.k8s.io': [
    name,
    { name: 'Holder', cell: (object) => textOf(at(object, 'spec', 'holderIdentity')) },
    ageColumn,
  ],
  'customresourcedefinitions.apiextensions.k8s.io': [
    name,
    { name: 'Scope', cell: (definition) => at(definition, 'spec', 'scope') },
    { name: 'Versions', cell: (definition) => servedVersions(at(definition, 'spec', 'versions')) },
    createdAt,
    { name: 'Group', wide: true, cell: (definition) => at(definition, 'spec', 'group') },
    { name: 'Kind', wide: true, cell: (definition) => at(definition, 'spec', 'names', 'kind') },
    {
      name: 'ShortNames',
      wide: true,
      cell: (definition) => listOf(at(definition, 'spec', 'names', 'shortNames')).join(','),
    },
    { name: 'Established', wide: true, type: 'boolean', cell: isEstablished },
  ],
  'clusterroles.rbac.authorization.k8s.io': [name, createdAt],
  'roles.rbac.authorization.k8s.io': [name, createdAt],
  'clusterrolebindings.rbac.authorization.k8s.io': [name, roleColumn(), ageColumn, ...subjectColumns()],
  'rolebindings.rbac.authorization.k8s.io': [name, roleColumn(), ageColumn, ...subjectColumns()],
  events: [
    { name: 'Last Seen', cell: (event, now) => age(lastSeen(event), now) },
    { name: 'Type', cell: (event) => event.type },
    { name: 'Reason', cell: (event) => event.reason },
    { name: 'Object', cell: (event) => involved(event.involvedObject ?? event.regarding) },
    { name: 'Subobject', wide: true, cell: (event) => textOf(at(event, 'involvedObject', 'fieldPath')) },
    { name: 'Source', wide: true, cell: (event) => sourceText(event.source ?? event.deprecatedSource) },
    { name: 'Message', cell: (event) => textOf(event.message ?? event.note).trim() },
    {
      name: 'First Seen',
      wide: true,
      cell: (event, now) =>
        age(event.firstTimestamp ?? event.deprecatedFirstTimestamp ?? event.eventTime, now),
    },
    { name: 'Count', wide: true, cell: (event) => event.count ?? event.deprecatedCount ?? 1 },
    { ...name, wide: true },
  ],
  services: [
    name,
    { name: 'Type', cell: (service) => at(service, 'spec', 'type') },
    { name: 'Cluster-IP', cell: (service) => textOf(at(service, 'spec', 'clusterIP')) || '<none>' },
    { name: 'External-IP', cell: externalAddress },
    { name: 'Port(s)', cell: (service) => portsText(at(service, 'spec', 'ports')) },
    ageColumn,
    {
      name: 'Selector',
      wide: true,
      cell: (service) => selectorText({ matchLabels: at(service, 'spec', 'selector') }),
    },
  ],
};

export function columnsOf(type: ResourceType): readonly TableColumn[] {
  return COLUMNS[resourceKey(type)] ?? [name, ageColumn];
}

function limitText(limit: unknown): string {
  return limit === undefined ? 'N/A' : String(limit);
}

function roleColumn(): TableColumn {
  return {
    name: 'Role',
    cell: (binding) => `${textOf(at(binding, 'roleRef', 'kind'))}/${textOf(at(binding, 'roleRef', 'name'))}`,
  };
}

/** Who is bound, by kind. */
function subjectColumns(): TableColumn[] {
  const column = (label: string, kind: string): TableColumn => ({
    name: label,
    wide: true,
    cell: (binding) =>
      listOf(binding.subjects)
        .map(objOf)
        .filter((subject) => subject.kind === kind)
        .map(({ name: of, namespace }) =>
          kind === 'ServiceAccount' ? `${textOf(namespace)}/${textOf(of)}` : textOf(of),
        )
        .join(', '),
  });
  return [column('Users', 'User'), column('Groups', 'Group'), column('ServiceAccounts', 'ServiceAccount')];
}

function servedVersions(versions: unknown): string {
  return listOf(versions)
    .map(objOf)
    .filter(({ served }) => served === true)
    .map((version) => `${textOf(version.name)}${version.storage === true ? '(storage)' : ''}`)
    .join(',');
}

/** An event of the newer group has the older fields under other names. */
function lastSeen(event: KubeObject): unknown {
  return event.lastTimestamp ?? event.deprecatedLastTimestamp ?? event.eventTime;
}

function sourceText(source: unknown): string {
  const { component, host } = objOf(source);
  return [textOf(component), textOf(host)].filter((part) => part !== '').join(', ');
}

function involved(reference: unknown): string {
  const { kind, name: of } = objOf(reference);
  return `${textOf(kind).toLowerCase()}/${textOf(of)}`;
}

function externalAddress(service: unknown): string {
  if (at(service, 'spec', 'type') === 'ExternalName') return textOf(at(service, 'spec', 'externalName'));
  const ingress = listOf(at(service, 'status', 'loadBalancer', 'ingress')).map(objOf);
  const addresses = [
    ...ingress.map((item) => textOf(item.ip) || textOf(item.hostname)),
    ...listOf(at(service, 'spec', 'externalIPs')).map(textOf),
  ];
  if (addresses.length > 0) return addresses.join(',');
  return at(service, 'spec', 'type') === 'LoadBalancer' ? '<pending>' : '<none>';
}

function portsText(ports: unknown): string {
  const texts = listOf(ports)
    .map(objOf)
    .map((port) => `${port.port}${port.nodePort ? `:${port.nodePort}` : ''}/${textOf(port.protocol)}`);
  return texts.join(',') || '<none>';
}
