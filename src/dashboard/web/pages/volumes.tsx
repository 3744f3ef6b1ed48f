/** Every volume: which disk it is, who owns it, who uses it, and what nothing uses any more. */
import type { VolumesView } from '../../api.js';
import { Command } from '../parts/command.js';
import { gib } from '../parts/format.js';
import { Card, Failure, Loading } from '../parts/notice.js';
import { levelOf, Status } from '../parts/status.js';
import { Table } from '../parts/table.js';
import { useResource } from '../state/resource.js';

export function VolumesPage() {
  const { value, error } = useResource<VolumesView>(() => '/volumes');
  if (error) return <Failure error={error} />;
  if (!value) return <Loading what="volumes" />;
  const removable = value.rows.filter(({ remove }) => remove !== undefined);
  return (
    <>
      <Card
        title={`${value.rows.length} volumes`}
        aside={
          <span class="soft">
            {value.reclaimable > 0 ? `${gib(value.reclaimable)} reclaimable` : 'nothing to reclaim'}
          </span>
        }
      >
        <Table
          name="Volumes"
          rows={value.rows}
          empty="This cluster has no volumes yet."
          columns={[
            { head: 'Volume', cell: ({ name }) => name },
            { head: 'State', cell: ({ state }) => <Status level={levelOf(state)}>{state}</Status> },
            { head: 'Size', cell: ({ size }) => gib(size), number: true },
            { head: 'Kind', cell: ({ kind }) => kind },
            { head: 'Host', cell: ({ host }) => host ?? '' },
            { head: 'Owner', cell: ({ owner }) => (owner === undefined ? '' : `VM ${owner}`) },
            {
              head: 'Used by',
              cell: ({ node, usedBy }) => node ?? (usedBy === undefined ? '' : `VM ${usedBy}`),
            },
            { head: 'Mount or claim', cell: ({ claim, mount }) => claim ?? mount ?? '' },
            { head: 'volid', cell: ({ volid }) => <code>{volid ?? ''}</code> },
          ]}
        />
        <Command line={value.command} />
      </Card>
      {removable.length > 0 && (
        <Card title="Nothing uses these">
          <p>Look at them first; this page never erases data.</p>
          {removable.map(({ volid, host, remove }) => (
            <Command key={volid} line={remove ?? ''} label={`${volid}, on ${host}`} />
          ))}
        </Card>
      )}
    </>
  );
}
