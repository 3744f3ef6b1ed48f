/** A run: live from its journal, whoever started it, or after its end with what stopped it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { counted } from '../../../model/count.js';
import { elapsed } from '../../../model/duration.js';
import type { RunEvent } from '../../../model/events.js';
import { type RunStory, storyOf } from '../../../session/journal/run-story.js';
import type { ErrorView, RunView } from '../../api.js';
import { Command } from '../parts/command.js';
import { clockTime, dateTime } from '../parts/format.js';
import { Card, Failure, Loading } from '../parts/notice.js';
import { DownTimes, Gantt, QuorumStrip } from '../parts/run-chart.js';
import { levelOf, Status } from '../parts/status.js';
import { ask } from '../state/client.js';
import { useResource } from '../state/resource.js';
import { place } from '../state/router.js';
import { failed, liveEvents, mayWrite } from '../state/store.js';

const TICK_MS = 1_000;
/** A run of the lab in a command goes by a clock of its own, which is not this one. */
const SAME_CLOCK_MS = 3_600_000;

export function RunPage({ id }: { readonly id: string }) {
  const { value, error } = useResource<RunView>(() => `/runs/${place.value.rest[0] ?? newestOf()}`);
  if (error) return error.code === 'ui.unknown' ? <NoRuns error={error} /> : <Failure error={error} />;
  if (!value) return <Loading what="the run" />;
  return <RunCards id={id} run={value} />;
}

/** A run that began while the page was open is newer than what was read. */
function newestOf(): string {
  return Object.keys(liveEvents.value).at(-1) ?? 'last';
}

function NoRuns({ error }: { readonly error: ErrorView }) {
  return (
    <Card title="Run">
      <p class="soft">{error.message}. A run in any terminal shows here as it happens.</p>
    </Card>
  );
}

function RunCards({ id, run }: { readonly id: string; readonly run: RunView }) {
  const { runId } = run.summary;
  const events = joined(run.events, liveEvents.value[runId] ?? []);
  const story = storyOf({
    head: { type: 'journal', format: 1, ...run.summary },
    events,
  });
  const ended = events.find((event) => event.type === 'run-ended');
  const isActive = !ended && (run.active || liveEvents.value[runId] !== undefined);
  const now = useNow(isActive);
  const begun = events[0]?.at ?? now;
  const isSameClock = Math.abs(now - (events.at(-1)?.at ?? 0)) < SAME_CLOCK_MS;
  const end = isActive && isSameClock ? Math.max(story.ms, now - begun) : story.ms;
  const outcome = ended?.result.outcome ?? (isActive ? 'running' : 'unfinished');
  return (
    <>
      <Head id={id} run={run} story={story} outcome={outcome} end={end} />
      <Failures story={story} run={run} outcome={outcome} />
      <Card title="Steps over time">
        <Gantt story={story} end={end} />
      </Card>
      <Card title="etcd: members that can be lost">
        <QuorumStrip absences={story.absences} controlPlanes={run.controlPlanes} end={end} />
      </Card>
      <Card title="Downtime">
        <DownTimes absences={story.absences} end={end} />
      </Card>
      <LogDrawer events={events} />
    </>
  );
}

/** What was read, and what came since; an event that came both ways is one. */
function joined(read: readonly RunEvent[], live: readonly RunEvent[]): readonly RunEvent[] {
  if (live.length === 0) return read;
  const known = new Set(read.map((event) => JSON.stringify(event)));
  return [...read, ...live.filter((event) => !known.has(JSON.stringify(event)))];
}

function useNow(isTicking: boolean): number {
  const now = useSignal(Date.now());
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => {
      now.value = Date.now();
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [isTicking, now]);
  return now.value;
}

function Head({
  id,
  run,
  story,
  outcome,
  end,
}: {
  readonly id: string;
  readonly run: RunView;
  readonly story: RunStory;
  readonly outcome: string;
  readonly end: number;
}) {
  const { summary, commands } = run;
  const done = story.acts.filter(({ state }) => state === 'done' || state === 'unchanged').length;
  const steps = Math.max(summary.steps, story.acts.length);
  const running = story.acts.filter(({ state }) => state === 'unfinished');
  return (
    <Card
      title={`${summary.command}`}
      aside={<Status level={levelOf(outcome === 'unfinished' ? 'note' : outcome)}>{outcome}</Status>}
    >
      <p class="soft">
        run {summary.runId}, {dateTime(summary.startedAt)}
        {summary.lab ? ', lab' : ''}
      </p>
      <p aria-live="polite">
        <progress max={Math.max(1, steps)} value={done} aria-label="Steps that are done" /> {done} of{' '}
        {counted(steps, 'step')}, {elapsed(end)}
        {run.predictedMs !== undefined && `, predicted ${elapsed(run.predictedMs)}`}
      </p>
      {outcome === 'running' && running.length > 0 && (
        <p>
          Now:{' '}
          {running
            .map(({ title }) => title)
            .slice(0, 3)
            .join('; ')}
          {running.length > 3 ? ` and ${running.length - 3} more` : ''}
        </p>
      )}
      {outcome === 'running' && <StopButton id={id} run={run} />}
      <Command line={commands.show} />
    </Card>
  );
}

function StopButton({ id, run }: { readonly id: string; readonly run: RunView }) {
  const state = useSignal<'running' | 'stopping'>('running');
  const error = useSignal<ErrorView | undefined>(undefined);
  if (!run.own || !mayWrite.value)
    return <p class="soft">It was started in a terminal: Ctrl-C there stops it after the steps that run.</p>;
  const stop = async (): Promise<void> => {
    try {
      await ask(`/api/clusters/${id}/stop`, { runId: run.summary.runId });
      state.value = 'stopping';
    } catch (cause) {
      error.value = failed(cause);
    }
  };
  return (
    <div class="actions">
      <button type="button" disabled={state.value === 'stopping'} onClick={stop}>
        {state.value === 'stopping' ? 'Stopping …' : 'Stop after this step'}
      </button>
      {error.value && <Failure error={error.value} />}
    </div>
  );
}

function Failures({
  story,
  run,
  outcome,
}: {
  readonly story: RunStory;
  readonly run: RunView;
  readonly outcome: string;
}) {
  const wrong = story.acts.filter(({ error }) => error !== undefined);
  if (wrong.length === 0 && (outcome === 'done' || outcome === 'running')) return null;
  return (
    <Card title={wrong.length > 0 ? 'What failed' : 'It did not reach its end'}>
      {wrong.map(({ step, title, error }) => (
        <div key={step} class="notice failed">
          <Status level="failed">{title}</Status>
          <p>{error?.message}</p>
          {error?.advice !== undefined && <p class="advice">{error.advice}</p>}
        </div>
      ))}
      {story.notStarted.length > 0 && (
        <p class="soft">{counted(story.notStarted.length, 'step')} did not start.</p>
      )}
      <p>No data was lost. What is left is done by running it again.</p>
      <Command line={run.commands.resume} label="Resume" />
    </Card>
  );
}

const LOG_LINES = 200;

function LogDrawer({ events }: { readonly events: readonly RunEvent[] }) {
  const lines = events.flatMap((event) => {
    const text = logText(event);
    return text === undefined ? [] : [`${clockTime(event.at)}  ${text}`];
  });
  return (
    <details class="card">
      <summary>Log, {counted(lines.length, 'line')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
      <pre class="log" tabIndex={0}>
        {lines.slice(-LOG_LINES).join('\n')}
      </pre>
    </details>
  );
}

function logText(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run-started':
      return `run ${event.runId} with ${counted(event.steps, 'step')}`;
    case 'step-started':
      return event.title;
    case 'step-progress':
      return `  ${event.message}`;
    case 'step-done':
      return event.warnings.length > 0 ? `  warning: ${event.warnings.join('; ')}` : undefined;
    case 'step-failed':
      return `failed: ${event.error.message}`;
    case 'node-away':
      return `${event.node} unavailable: ${event.reason}`;
    case 'node-back':
      return `${event.node} is back`;
    case 'run-ended':
      return `${event.result.outcome} after ${elapsed(event.ms)}`;
  }
}
