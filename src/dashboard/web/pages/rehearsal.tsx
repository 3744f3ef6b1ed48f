/** The plan as it ran on a twin: who is down when, quorum, API, pods, memory; and cases with faults that were tried. */
import { awayRows, timeline } from '../../../export/picture/timeline.js';
import { counted } from '../../../model/count.js';
import { elapsed } from '../../../model/duration.js';
import type { Rehearsal } from '../../../session/rehearse/rehearsal.js';
import type { RehearsalView } from '../../api.js';
import { Command } from '../parts/command.js';
import { Drawing } from '../parts/drawing.js';
import { gib } from '../parts/format.js';
import { Card, Failure, Loading } from '../parts/notice.js';
import { CourseStrip, DownTimes, sizes } from '../parts/run-chart.js';
import { levelOf, Status } from '../parts/status.js';
import { Table } from '../parts/table.js';
import { useResource } from '../state/resource.js';
import { address } from '../state/router.js';
import { rehearsed } from '../state/store.js';

export function RehearsalPage({ id }: { readonly id: string }) {
  const { value, error } = useResource<RehearsalView>(() => '/rehearsal', rehearsed);
  if (error) return <Failure error={error} />;
  if (!value) return <Loading what="the rehearsal" />;
  return (
    <>
      <Card title="Rehearsal" aside={<State view={value} />}>
        <p class="soft">
          The plan runs on a simulated twin of the cluster. The cluster itself is only read.
          {value.state === 'none' && (
            <>
              {' '}
              Start it on the page <a href={address(id, 'plan')}>Plan</a>.
            </>
          )}
        </p>
        {value.error && <Failure error={value.error} />}
        {value.state === 'running' && <Progress titles={value.progress} />}
        {value.rehearsal && <Facts rehearsal={value.rehearsal} clean={value.clean === true} />}
        <Command line={value.command} />
      </Card>
      {value.rehearsal?.valid && <Pictures rehearsal={value.rehearsal} />}
      {value.chaos.length > 0 && (
        <Card title={`Faults: ${counted(value.chaos.length, 'case')} tried`}>
          <Table
            name="Cases with faults"
            rows={value.chaos}
            columns={[
              { head: 'Fault', cell: ({ fault }) => fault },
              { head: 'Step', cell: ({ step }) => step },
              { head: 'Where', cell: ({ subject }) => subject },
              {
                head: 'Verdict',
                cell: ({ verdict }) => <Status level={verdictLevel(verdict)}>{verdict}</Status>,
              },
              { head: 'Says', cell: ({ why }) => why ?? '' },
            ]}
          />
        </Card>
      )}
    </>
  );
}

function verdictLevel(verdict: string) {
  return verdict === 'continued' || verdict === 'stopped safely' ? 'ok' : levelOf(verdict);
}

function State({ view: { state, clean } }: { readonly view: RehearsalView }) {
  if (state === 'none') return <Status level="quiet">not started</Status>;
  if (state === 'running') return <Status level="busy">running</Status>;
  return clean ? <Status level="ok">ended well</Status> : <Status level="failed">look below</Status>;
}

function Progress({ titles }: { readonly titles: readonly string[] }) {
  return (
    <p aria-live="polite">
      {counted(titles.length, 'step')} started{titles.length > 0 ? `; now: ${titles.at(-1)}` : ''}
    </p>
  );
}

function Facts({ rehearsal, clean }: { readonly rehearsal: Rehearsal; readonly clean: boolean }) {
  const { broken, left, differences, outcome, steps, ms, pods, valid } = rehearsal;
  const lines = [...differences, ...broken, ...left.map((line) => `left to do: ${line}`)];
  return (
    <>
      <p>
        <Status level={clean ? 'ok' : 'failed'}>
          {valid ? outcome : 'not valid'}: {counted(steps.length, 'step')}, {elapsed(ms)} of lab time,{' '}
          {pods.evicted} pods evicted, at most {pods.mostPending} pending at a time
        </Status>
      </p>
      {lines.map((line) => (
        <p key={line}>
          <Status level="failed">{line}</Status>
        </p>
      ))}
      {clean && <p class="soft">No invariant broken in 1 case.</p>}
    </>
  );
}

function Pictures({ rehearsal }: { readonly rehearsal: Rehearsal }) {
  const { absences, away, ms, course, memory } = rehearsal;
  const rows = awayRows(absences, away, ms);
  return (
    <>
      <Card title="When each node is down">
        {rows.length > 0 && (
          <Drawing draw={(width) => timeline('Downtime of each node over time', rows, ms, sizes(width))} />
        )}
        <DownTimes absences={absences} end={ms} />
      </Card>
      <Card title="etcd: members that can be lost">
        <CourseStrip course={course} end={ms} />
      </Card>
      <Card title="Memory of each host at its highest">
        <Table
          name="Memory of each host"
          rows={Object.entries(memory)}
          columns={[
            { head: 'Host', cell: ([host]) => host },
            { head: 'Memory', cell: ([, bytes]) => gib(bytes), number: true },
          ]}
        />
      </Card>
    </>
  );
}
