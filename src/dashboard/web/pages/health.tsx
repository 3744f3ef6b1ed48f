/** Every condition: what does not hold first, each with what to look at. */
import { useSignal } from '@preact/signals';
import type { Condition } from '../../../health/condition.js';
import type { ClusterView, HealthView } from '../../api.js';
import { Command } from '../parts/command.js';
import { Card, Failure, Loading } from '../parts/notice.js';
import { levelOf, Status } from '../parts/status.js';
import { Table } from '../parts/table.js';
import { useResource } from '../state/resource.js';

export function HealthPage({ view }: { readonly view: ClusterView }) {
  const all = useSignal(false);
  return (
    <>
      <Card title="By layer">
        <ul class="layers">
          {view.layers.map(({ layer, holds, of }) => (
            <li key={layer}>
              <span>{layer}</span>
              <meter min={0} max={of} value={holds} aria-label={`${layer}: ${holds} of ${of} hold`} />
              <Status level={holds === of ? 'ok' : 'failed'}>
                {holds} of {of}
              </Status>
            </li>
          ))}
        </ul>
        <Command line={view.commands.status ?? ''} />
      </Card>
      <Card title="What does not hold">
        {view.conditions.length === 0 ? (
          <p>
            <Status level="ok">Every condition holds.</Status>
          </p>
        ) : (
          <ul class="plain">
            {view.conditions.map((condition) => (
              <ConditionLine key={`${condition.name} ${condition.subject}`} condition={condition} />
            ))}
          </ul>
        )}
      </Card>
      {all.value ? (
        <AllConditions />
      ) : (
        <button
          type="button"
          onClick={() => {
            all.value = true;
          }}
        >
          Show every condition
        </button>
      )}
    </>
  );
}

function ConditionLine({ condition }: { readonly condition: Condition }) {
  const { state, name, subject, message, advice } = condition;
  return (
    <li>
      <Status level={levelOf(state)}>
        {subject !== undefined && <strong>{subject}: </strong>}
        {name}: {message}
      </Status>
      {advice !== undefined && <p class="advice">{advice}</p>}
    </li>
  );
}

function AllConditions() {
  const { value, error } = useResource<HealthView>(() => '/health');
  if (error) return <Failure error={error} />;
  if (!value) return <Loading what="conditions" />;
  return (
    <Card title={`${value.conditions.length} conditions`}>
      <Table
        name="Every condition"
        rows={value.conditions}
        columns={[
          { head: 'State', cell: ({ state }) => <Status level={levelOf(state)}>{state}</Status> },
          { head: 'Layer', cell: ({ layer }) => layer },
          { head: 'Of', cell: ({ subject }) => subject ?? 'cluster' },
          { head: 'Condition', cell: ({ name }) => name },
          { head: 'Says', cell: ({ message }) => message },
        ]}
      />
      <Command line={value.command} />
    </Card>
  );
}
