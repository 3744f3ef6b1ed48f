/** Earlier runs: who asked for what, how it ended, how long nodes were down. */
import { elapsed } from '../../../model/duration.js';
import type { HistoryView } from '../../api.js';
import { Command } from '../parts/command.js';
import { dateTime } from '../parts/format.js';
import { Card, Failure, Loading } from '../parts/notice.js';
import { levelOf, Status } from '../parts/status.js';
import { Table } from '../parts/table.js';
import { useResource } from '../state/resource.js';
import { address } from '../state/router.js';

export function HistoryPage({ id }: { readonly id: string }) {
  const { value, error } = useResource<HistoryView>(() => '/runs');
  if (error) return <Failure error={error} />;
  if (!value) return <Loading what="runs" />;
  return (
    <Card title={value.runs.length === 1 ? '1 run' : `${value.runs.length} runs`}>
      {value.problems.map((problem) => (
        <Failure key={problem.message} error={problem} />
      ))}
      <Table
        name="Runs, newest first"
        rows={value.runs}
        empty="No runs yet."
        columns={[
          {
            head: 'Run',
            cell: ({ runId, command }) => <a href={address(id, 'run', runId)}>{command}</a>,
          },
          { head: 'Started', cell: ({ startedAt }) => dateTime(startedAt) },
          {
            head: 'Outcome',
            cell: ({ outcome, active }) => {
              const word = active ? 'running' : outcome;
              return <Status level={levelOf(word)}>{word}</Status>;
            },
          },
          { head: 'Steps', cell: ({ done, steps }) => `${done} of ${steps}`, number: true },
          { head: 'Took', cell: ({ ms }) => elapsed(ms), number: true },
          {
            head: 'Predicted',
            cell: ({ predictedMs }) => (predictedMs === undefined ? '' : elapsed(predictedMs)),
            number: true,
          },
          {
            head: 'Nodes down',
            cell: ({ away }) => away.map(({ node, ms }) => `${node} ${elapsed(ms)}`).join(', '),
          },
          { head: 'id', cell: ({ runId }) => <code>{runId}</code> },
        ]}
      />
      <Command line={value.command} />
    </Card>
  );
}
