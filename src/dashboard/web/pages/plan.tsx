/** What would be done, why, in which order, and what it costs; equal nodes stand together. */
import { useSignal } from '@preact/signals';
import type { StepView } from '../../../session/plan/index.js';
import type { ApplyRequest, ErrorView, PlanView } from '../../api.js';
import { Command } from '../parts/command.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
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
      {plan.incomplete.length > 0 && (
        <Card title="Not compared">
          {plan.incomplete.map(({ what, why }) => (
            <div key={what} class="notice">
              <Status level="unknown">{what}</Status>
              <p class="soft">{why}</p>
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
  const busy = useSignal(false);
  // The plan that is asked about stays the same while the dialog is open, whatever is read meanwhile.
  const asked = useSignal<PlanView | undefined>(undefined);
  const rehearse = async (): Promise<void> => {
    busy.value = true;
    error.value = undefined;
    try {
      await ask(`/api/clusters/${id}/rehearse`, { planId: plan.planId });
      go(id, 'rehearsal');
    } catch (cause) {
      error.value = failed(cause);
    } finally {
      busy.value = false;
    }
  };
  const nothing = plan.blocks.length === 0;
  const applies = mayWrite.value && plan.refused === undefined;
  return (
    <>
      {!nothing && (
        <div class="actions">
          <button type="button" disabled={busy.value} onClick={rehearse}>
            {busy.value ? 'Starting …' : 'Rehearse on a twin'}
          </button>
          {applies && (
            <button
              type="button"
              class="primary"
              disabled={busy.value}
              onClick={() => {
                asked.value = plan;
              }}
            >
              Apply plan {plan.planId.slice(0, 12)}
            </button>
          )}
        </div>
      )}
      {asked.value?.confirmation && (
        <ApplyDialog
          id={id}
          plan={asked.value}
          confirmation={asked.value.confirmation}
          onClose={() => {
            asked.value = undefined;
          }}
        />
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

/** The questions of `oxherd apply`, with what it would do. */
function ApplyDialog({
  id,
  plan,
  confirmation,
  onClose,
}: {
  readonly id: string;
  readonly plan: PlanView;
  readonly confirmation: NonNullable<PlanView['confirmation']>;
  readonly onClose: () => void;
}) {
  const { question, outage, name } = confirmation;
  const apply = async (typed: string): Promise<void> => {
    const request: ApplyRequest = {
      planId: plan.planId,
      answer: {
        planId: plan.planId,
        confirmed: [question, ...(outage === undefined ? [] : [outage])],
        ...(name && { name: typed }),
      },
    };
    const { runId } = await ask<{ runId: string }>(`/api/clusters/${id}/apply`, request);
    go(id, 'run', runId);
  };
  return (
    <ConfirmDialog
      question={question}
      action={`Apply plan ${plan.planId.slice(0, 12)}`}
      {...(name && { name })}
      onConfirm={apply}
      onClose={onClose}
    >
      <p>{plan.what}</p>
      {plan.downtime !== undefined && <p>{plan.downtime}</p>}
      {outage !== undefined && (
        <div class="notice failed">
          <Status level="failed">{outage}</Status>
        </div>
      )}
      {plan.problems.map(({ message }) => (
        <p key={message}>
          <Status level="note">{message}</Status>
        </p>
      ))}
      {plan.order !== '' && <p class="soft">Nodes go down in this order: {plan.order}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
      <section class="what" tabIndex={0} aria-label="Steps of the plan">
        {plan.blocks.map((block) => (
          <div key={block.heading}>
            <h3>{block.heading}</h3>
            <ul class="plain">
              {block.steps.map((step, index) => (
                <li key={index}>
                  {step.title}{' '}
                  {step.impact !== 'none' && <span class={`tag ${step.impact}`}>{step.effect}</span>}
                </li>
              ))}
            </ul>
          </div>
        ))}
      </section>
    </ConfirmDialog>
  );
}
