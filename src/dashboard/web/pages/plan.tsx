/** What would be done, why, in which order, and what it costs; equal nodes stand together. */
import { useSignal } from '@preact/signals';
import type { StepView } from '../../../session/plan/index.js';
import type { ErrorView, PlanView } from '../../api.js';
import { Command } from '../parts/command.js';
import { Card, Failure, Loading } from '../parts/notice.js';
import { Status } from '../parts/status.js';
import { Table } from '../parts/table.js';
import { ask } from '../state/client.js';
import { useResource } from '../state/resource.js';
import { go } from '../state/router.js';
import { failed, mayWrite } from '../state/store.js';

export function PlanPage({ id }: { readonly id: string }) {
  const { value, error } = useResource<PlanView>(() => '/plan');
  if (error) return <Failure error={error} />;
  if (!value) return <Loading what="the plan" />;
  return (
    <>
      <Card title={value.what} aside={<code class="soft">plan {value.planId.slice(0, 12)}</code>}>
        {value.downtime !== undefined && <p>{value.downtime}</p>}
        <Actions id={id} plan={value} />
      </Card>
      <PlanBody plan={value} />
    </>
  );
}

/** Also of a plan that was only tried out. */
export function PlanBody({ plan }: { readonly plan: PlanView }) {
  return (
    <>
      {plan.problems.length > 0 && (
        <Card title="Problems">
          {plan.problems.map((problem) => (
            <div key={problem.message} class="notice failed">
              <Status level="failed">{problem.message}</Status>
              <p class="soft">{problem.advice}</p>
            </div>
          ))}
        </Card>
      )}
      {plan.waves.length > 0 && <Waves plan={plan} />}
      {plan.blocks.map((block) => (
        <Card
          key={block.heading}
          title={block.heading}
          aside={
            block.nodes.length > 1 ? <span class="soft">{block.nodes.length} nodes, same changes</span> : null
          }
        >
          <ol class="steps">
            {block.steps.map((step, index) => (
              <Step key={index} step={step} />
            ))}
          </ol>
          {block.foot !== undefined && <p class="soft">{block.foot}</p>}
        </Card>
      ))}
      {plan.notes.length > 0 && (
        <Card title="Notes">
          <ul class="plain">
            {plan.notes.map((note) => (
              <li key={note.message}>
                <span class="tag">{note.code}</span> {note.message}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

function Step({ step }: { readonly step: StepView }) {
  return (
    <li>
      <span class={`sign ${step.impact}`} aria-hidden="true">
        {step.sign}
      </span>
      <div>
        {step.title} {step.impact !== 'none' && <span class={`tag ${step.impact}`}>{step.effect}</span>}
        {step.reasons.map(({ text, drift }) => (
          <p key={text} class="soft">
            {text} {drift !== undefined && <span class="tag drift">{drift}</span>}
          </p>
        ))}
        {step.diff.length > 0 && <Diff lines={step.diff} />}
      </div>
    </li>
  );
}

export function Diff({ lines }: { readonly lines: readonly string[] }) {
  const kind = (line: string) => (line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
    <pre class="diff" tabIndex={0}>
      {lines.map((line, index) => (
        <span key={index} class={kind(line)}>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

function Waves({ plan }: { readonly plan: PlanView }) {
  const rows = plan.waves.flatMap((wave, index) => wave.map((node) => ({ ...node, wave: index + 1 })));
  return (
    <Card title="Order of downtime">
      <p class="soft">{plan.order}</p>
      <Table
        name="Nodes in the order in which they go down"
        rows={rows}
        columns={[
          { head: 'Turn', cell: ({ wave }) => wave },
          { head: 'Node', cell: ({ node }) => node },
          { head: 'Unavailable for', cell: ({ time }) => time },
        ]}
      />
    </Card>
  );
}

function Actions({ id, plan }: { readonly id: string; readonly plan: PlanView }) {
  const error = useSignal<ErrorView | undefined>(undefined);
  const busy = useSignal('');
  const act = async (what: 'apply' | 'rehearse'): Promise<void> => {
    busy.value = what;
    error.value = undefined;
    try {
      const answer = await ask<{ runId?: string }>(`/api/clusters/${id}/${what}`, { planId: plan.planId });
      if (what === 'apply') go(id, 'run', answer.runId ?? 'last');
      else go(id, 'rehearsal');
    } catch (cause) {
      error.value = failed(cause);
    } finally {
      busy.value = '';
    }
  };
  const nothing = plan.blocks.length === 0;
  const applies = mayWrite.value && plan.refused === undefined;
  return (
    <>
      {!nothing && (
        <div class="actions">
          <button type="button" disabled={busy.value !== ''} onClick={() => act('rehearse')}>
            {busy.value === 'rehearse' ? 'Starting …' : 'Rehearse on a twin'}
          </button>
          {applies && (
            <button type="button" class="primary" disabled={busy.value !== ''} onClick={() => act('apply')}>
              {busy.value === 'apply' ? 'Checking the plan …' : `Apply plan ${plan.planId.slice(0, 12)}`}
            </button>
          )}
        </div>
      )}
      {error.value && <Failure error={error.value} />}
      {!nothing && !applies && (
        <p class="soft">
          {plan.refused !== undefined
            ? `Not from this page: ${plan.refused}.`
            : 'This page only reads; start it with --write to apply from here.'}
        </p>
      )}
      <Command line={nothing ? plan.commands.plan : plan.commands.apply} />
      {!nothing && <Command line={plan.commands.rehearse} label="Rehearse" />}
    </>
  );
}
