import { at, listOf, numberOf, objOf, stringsOf, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { selectorText } from '../selectors/object-selector.js';
import type { TableColumn } from './column.js';
import { humanDuration } from './duration.js';

export function workloadColumns(name: TableColumn, age: TableColumn): Record<string, TableColumn[]> {
  const containers: TableColumn[] = [
    { name: 'Containers', wide: true, cell: (object) => containerList(object, 'name') },
    { name: 'Images', wide: true, cell: (object) => containerList(object, 'image') },
  ];
  const selector: TableColumn = {
    name: 'Selector',
    wide: true,
    cell: (object) => selectorText(objOf(at(object, 'spec', 'selector'))),
  };
  const status = (label: string, field: string): TableColumn => ({
    name: label,
    type: 'integer',
    cell: (object) => numberOf(at(object, 'status', field)),
  });
  const plain = (column: TableColumn): TableColumn => ({ ...column, type: 'string' });
  const ready = (want: string): TableColumn => ({
    name: 'Ready',
    cell: (object) =>
      `${numberOf(at(object, 'status', 'readyReplicas'))}/${numberOf(at(object, 'spec', want))}`,
  });
  return {
    'deployments.apps': [
      name,
      ready('replicas'),
      plain(status('Up-to-date', 'updatedReplicas')),
      plain(status('Available', 'availableReplicas')),
      age,
      ...containers,
      selector,
    ],
    'replicasets.apps': [
      name,
      { name: 'Desired', type: 'integer', cell: (set) => numberOf(at(set, 'spec', 'replicas')) },
      status('Current', 'replicas'),
      status('Ready', 'readyReplicas'),
      age,
      ...containers,
      selector,
    ],
    'statefulsets.apps': [name, ready('replicas'), age, ...containers],
    'daemonsets.apps': [
      name,
      status('Desired', 'desiredNumberScheduled'),
      status('Current', 'currentNumberScheduled'),
      status('Ready', 'numberReady'),
      status('Up-to-date', 'updatedNumberScheduled'),
      status('Available', 'numberAvailable'),
      { name: 'Node Selector', cell: nodeSelector },
      age,
      ...containers,
      selector,
    ],
    'jobs.batch': [
      name,
      { name: 'Status', cell: jobStatus },
      {
        name: 'Completions',
        cell: (job) =>
          `${numberOf(at(job, 'status', 'succeeded'))}/${numberOf(at(job, 'spec', 'completions'), 1)}`,
      },
      { name: 'Duration', cell: jobDuration },
      age,
      ...containers,
      selector,
    ],
  };
}

function containerList(object: KubeObject, field: string): string {
  return listOf(at(object, 'spec', 'template', 'spec', 'containers'))
    .map((container) => textOf(objOf(container)[field]))
    .join(',');
}

function nodeSelector(object: KubeObject): string {
  const selector = stringsOf(at(object, 'spec', 'template', 'spec', 'nodeSelector'));
  const parts = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
  return parts.join(',') || '<none>';
}

function jobStatus(job: KubeObject): string {
  const conditions = listOf(at(job, 'status', 'conditions')).map(objOf);
  const holds = (type: string) => conditions.some((c) => c.type === type && c.status === 'True');
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  return job.metadata.deletionTimestamp ? 'Terminating' : 'Running';
}

function jobDuration(job: KubeObject, now: number): string {
  const start = Date.parse(textOf(at(job, 'status', 'startTime')));
  if (Number.isNaN(start)) return '';
  const end = Date.parse(textOf(at(job, 'status', 'completionTime')));
  return humanDuration((Number.isNaN(end) ? now : end) - start);
}
