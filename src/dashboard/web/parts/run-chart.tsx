/** A run over time: a bar per node, and how many members etcd could lose meanwhile. Shared with the rehearsal's page. */
import { quorumBars, spansOf, type TimelineRow, timeline } from '../../../export/picture/timeline.js';
import { type Absence, timeAway } from '../../../model/downtime.js';
import { elapsed } from '../../../model/duration.js';
import type { RunStory } from '../../../session/journal/run-story.js';
import { Drawing } from './drawing.js';
import { Table, Twin } from './table.js';

/** With more rows than this those without downtime are left out. */
const MOST_ROWS = 24;

const KINDS = { done: 'act', unchanged: 'quiet', failed: 'lost', unfinished: 'busy' } as const;

export function Gantt({ story, end }: { readonly story: RunStory; readonly end: number }) {
  const rows = ganttRows(story, end);
  return (
    <>
      <Drawing draw={(width) => timeline('Steps of each node over time', rows, end, sizes(width))} />
      <Twin name="Steps">
        {() => (
          <Table
            name="Steps of the run"
            rows={story.acts}
            columns={[
              { head: 'At', cell: (act) => elapsed(act.from), number: true },
              { head: 'Node', cell: (act) => act.node ?? 'cluster' },
              { head: 'Step', cell: (act) => act.title },
              { head: 'State', cell: (act) => (act.state === 'unfinished' ? 'running' : act.state) },
              { head: 'Took', cell: (act) => (act.ms === undefined ? '' : elapsed(act.ms)), number: true },
            ]}
          />
        )}
      </Twin>
    </>
  );
}

export function sizes(width: number): { width: number; left: number } {
  return { width: Math.max(320, width), left: width < 600 ? 84 : 130 };
}

function ganttRows({ acts, absences }: RunStory, end: number): TimelineRow[] {
  const names = [...new Set(acts.map(({ node }) => node ?? 'cluster'))];
  const busy = names.filter(
    (name) =>
      absences.some(({ node }) => node === name) ||
      acts.some((act) => (act.node ?? 'cluster') === name && act.state === 'failed'),
  );
  const shown = names.length > MOST_ROWS ? (busy.length > 0 ? busy : names).slice(0, 2 * MOST_ROWS) : names;
  return shown.map((name) => ({
    label: name,
    bars: [
      ...absences
        .filter(({ node }) => node === name)
        .map(({ from, to = end, reason }) => ({
          from,
          to,
          kind: 'away',
          title: `${name} unavailable: ${reason}, ${elapsed(to - from)}`,
        })),
      ...acts
        .filter((act) => (act.node ?? 'cluster') === name)
        .map(({ from, ms = end - from, title, state }) => ({
          from,
          to: from + ms,
          kind: KINDS[state],
          title: `${title}: ${state === 'unfinished' ? 'running' : state}, ${elapsed(ms)}`,
        })),
    ],
  }));
}

/** From a rehearsal, which measured it. */
export function CourseStrip({
  course,
  end,
}: {
  readonly course: readonly { readonly at: number; readonly margin: number }[];
  readonly end: number;
}) {
  return <Strip spans={spansOf(course, end, ({ margin }) => margin)} end={end} />;
}

/** From a run: a control plane that is unavailable is a member that does not count. */
export function QuorumStrip({
  absences,
  controlPlanes,
  end,
}: {
  readonly absences: readonly Absence[];
  readonly controlPlanes: readonly string[];
  readonly end: number;
}) {
  if (controlPlanes.length === 0 || end === 0) return <p class="soft">No control plane was touched yet.</p>;
  return <Strip spans={quorumSpans(absences, controlPlanes, end)} end={end} />;
}

function Strip({ spans, end }: { readonly spans: ReturnType<typeof spansOf>; readonly end: number }) {
  const bars = quorumBars(spans);
  return (
    <>
      <Drawing
        draw={(width) =>
          timeline(
            'How many etcd members can be lost, over time',
            [{ label: 'etcd', bars }],
            end,
            sizes(width),
          )
        }
      />
      <Twin name="Quorum">
        {() => (
          <Table
            name="Quorum over time"
            rows={bars}
            columns={[
              { head: 'From', cell: ({ from }) => elapsed(from), number: true },
              { head: 'To', cell: ({ to }) => elapsed(to), number: true },
              { head: 'Members that can be lost', cell: ({ label }) => label ?? '' },
            ]}
          />
        )}
      </Twin>
    </>
  );
}

function quorumSpans(absences: readonly Absence[], controlPlanes: readonly string[], end: number) {
  const own = absences.filter(({ node }) => controlPlanes.includes(node));
  const moments = [0, ...own.flatMap(({ from, to }) => (to === undefined ? [from] : [from, to]))]
    .sort((a, b) => a - b)
    .map((at) => ({ at }));
  const majority = Math.floor(controlPlanes.length / 2) + 1;
  return spansOf(moments, end, ({ at }) => {
    const away = own.filter(({ from, to = Number.POSITIVE_INFINITY }) => from <= at && to > at).length;
    return controlPlanes.length - away - majority;
  });
}

export function DownTimes({
  absences,
  end,
}: {
  readonly absences: readonly Absence[];
  readonly end: number;
}) {
  const away = timeAway(absences, end);
  return (
    <Table
      name="Downtime of each node"
      rows={away}
      empty="No node was unavailable."
      columns={[
        { head: 'Node', cell: ({ node }) => node },
        { head: 'Unavailable for', cell: ({ ms }) => elapsed(ms), number: true },
        { head: 'Times', cell: ({ times }) => times, number: true },
        { head: 'Now', cell: ({ still }) => (still ? 'unavailable' : 'back') },
      ]}
    />
  );
}
