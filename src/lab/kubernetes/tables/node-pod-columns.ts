import { at, isObj, listOf, numberOf, type Obj, objOf, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import type { TableColumn } from './column.js';
import { age as since } from './duration.js';

const ROLE = 'node-role.kubernetes.io/';

export function nodeColumns(name: TableColumn, age: TableColumn): TableColumn[] {
  return [
    name,
    { name: 'Status', cell: nodeStatus },
    { name: 'Roles', cell: nodeRoles },
    age,
    { name: 'Version', cell: (node) => textOf(at(node, 'status', 'nodeInfo', 'kubeletVersion')) },
    { name: 'Internal-IP', wide: true, cell: (node) => addressOf(node, 'InternalIP') },
    { name: 'External-IP', wide: true, cell: (node) => addressOf(node, 'ExternalIP') },
    { name: 'OS-Image', wide: true, cell: (node) => info(node, 'osImage') },
    {
      name: 'Kernel-Version',
      wide: true,
      cell: (node) => {
        const kernel = info(node, 'kernelVersion');
        const architecture = textOf(at(node, 'status', 'nodeInfo', 'architecture'));
        return kernel === '<unknown>' || architecture === '' ? kernel : `${kernel} (${architecture})`;
      },
    },
    { name: 'Container-Runtime', wide: true, cell: (node) => info(node, 'containerRuntimeVersion') },
  ];
}

function info(node: KubeObject, field: string): string {
  return textOf(at(node, 'status', 'nodeInfo', field)) || '<unknown>';
}

function addressOf(node: KubeObject, type: string): string {
  const address = listOf(at(node, 'status', 'addresses')).find((item) => objOf(item).type === type);
  return textOf(objOf(address).address) || '<none>';
}

function nodeStatus(node: KubeObject): string {
  const ready = listOf(at(node, 'status', 'conditions')).find((item) => objOf(item).type === 'Ready');
  const status = isObj(ready) ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return at(node, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

function nodeRoles(node: KubeObject): string {
  const labels = node.metadata.labels ?? {};
  const roles = Object.keys(labels)
    .filter((key) => key.startsWith(ROLE))
    .map((key) => key.slice(ROLE.length));
  const old = labels['kubernetes.io/role'];
  return [...new Set([...roles, ...(old ? [old] : [])])].filter(Boolean).sort().join(',') || '<none>';
}

export function podColumns(name: TableColumn, age: TableColumn): TableColumn[] {
  const statuses = (pod: KubeObject) => listOf(at(pod, 'status', 'containerStatuses')).map(objOf);
  return [
    name,
    {
      name: 'Ready',
      cell: (pod) => {
        const ready = statuses(pod).filter((status) => status.ready === true).length;
        return `${ready}/${listOf(at(pod, 'spec', 'containers')).length}`;
      },
    },
    { name: 'Status', cell: podStatus },
    {
      name: 'Restarts',
      cell: (pod, now) => restartsText(statuses(pod), now),
    },
    age,
    { name: 'IP', wide: true, cell: (pod) => textOf(at(pod, 'status', 'podIP')) || '<none>' },
    { name: 'Node', wide: true, cell: (pod) => textOf(at(pod, 'spec', 'nodeName')) || '<none>' },
    {
      name: 'Nominated Node',
      wide: true,
      cell: (pod) => textOf(at(pod, 'status', 'nominatedNodeName')) || '<none>',
    },
    { name: 'Readiness Gates', wide: true, cell: gatesText },
  ];
}

/** How many of the conditions that a pod also waits for hold. */
function gatesText(pod: KubeObject): string {
  const gates = listOf(at(pod, 'spec', 'readinessGates')).map((gate) => textOf(objOf(gate).conditionType));
  if (gates.length === 0) return '<none>';
  const conditions = listOf(at(pod, 'status', 'conditions')).map(objOf);
  const holds = (gate: string) => conditions.some(({ type, status }) => type === gate && status === 'True');
  return `${gates.filter(holds).length}/${gates.length}`;
}

/** With the time since the last one, where it is known. */
function restartsText(statuses: readonly Obj[], now: number): string {
  const count = statuses.reduce((sum, status) => sum + numberOf(status.restartCount), 0);
  const ends = statuses.map((status) => textOf(at(status, 'lastState', 'terminated', 'finishedAt'))).sort();
  const last = ends.at(-1) ?? '';
  return count === 0 || last === '' ? String(count) : `${count} (${since(last, now)} ago)`;
}

/** The one word kubectl shows for a pod: its phase, unless a container or its end says more. */
function podStatus(pod: KubeObject): string {
  let word = textOf(at(pod, 'status', 'reason')) || textOf(at(pod, 'status', 'phase'));
  for (const status of listOf(at(pod, 'status', 'containerStatuses'))
    .map(objOf)
    .toReversed()) {
    const state = objOf(status.state);
    const [waiting, ended] = [objOf(state.waiting), objOf(state.terminated)];
    if (textOf(waiting.reason) !== '') word = textOf(waiting.reason);
    else if (isObj(state.terminated)) word = textOf(ended.reason) || exitText(ended);
  }
  if (pod.metadata.deletionTimestamp === undefined) return word;
  return textOf(at(pod, 'status', 'reason')) === 'NodeLost' ? 'Unknown' : 'Terminating';
}

function exitText(ended: Obj): string {
  return numberOf(ended.signal) !== 0 ? `Signal:${ended.signal}` : `ExitCode:${numberOf(ended.exitCode)}`;
}
