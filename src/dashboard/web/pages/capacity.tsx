/** How full the hosts are, and what another number of nodes, cores, memory or hosts would mean. */
import { useSignal } from '@preact/signals';
import type { CapacityView, ErrorView, NodeGroup, WhatIfEdit, WhatIfView } from '../../api.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { gib, percent } from '../parts/format.js';
import { Card, Failure, Loading } from '../parts/notice.js';
import { Status } from '../parts/status.js';
import { Table } from '../parts/table.js';
import { ask } from '../state/client.js';
import { useResource } from '../state/resource.js';
import { failed, mayWrite } from '../state/store.js';
import { Diff, PlanBody } from './plan.js';

export function CapacityPage({ id }: { readonly id: string }) {
  const { value, error } = useResource<CapacityView>(() => '/capacity');
  const tried = useSignal<WhatIfView | undefined>(undefined);
  if (error) return <Failure error={error} />;
  if (!value) return <Loading what="capacity" />;
  return (
    <>
      <Hosts capacity={tried.value?.capacity ?? value.capacity} isTried={tried.value !== undefined} />
      {value.fixed === undefined ? (
        <WhatIf
          id={id}
          view={value}
          onTried={(view) => {
            tried.value = view;
          }}
        />
      ) : (
        <p class="soft">{value.fixed}</p>
      )}
      {tried.value?.plan && (
        <>
          <Card title={`The plan that would follow: ${tried.value.plan.what}`}>
            <p>{tried.value.plan.downtime}</p>
          </Card>
          <PlanBody plan={tried.value.plan} />
        </>
      )}
    </>
  );
}

function Hosts({
  capacity,
  isTried,
}: {
  readonly capacity: CapacityView['capacity'];
  readonly isTried: boolean;
}) {
  const { hosts, failovers, problems, notes } = capacity;
  const asked = (host: (typeof hosts)[number], key: 'cpus' | 'memory') =>
    host.users.reduce((sum, user) => sum + user[key], 0);
  return (
    <Card
      title={isTried ? 'Hosts with these values' : 'Hosts'}
      aside={isTried && <span class="tag">what if</span>}
    >
      <div class="hosts">
        {hosts.map((host) => (
          <div key={host.name} class="host">
            <h3>{host.name}</h3>
            <Level name="Memory" used={asked(host, 'memory')} of={host.memory} show={gib} />
            <Level name="vCPU" used={asked(host, 'cpus')} of={host.cpus} show={String} />
            {host.storages.map(({ name, used, ours, total }) => (
              <Level key={name} name={name} used={used ?? ours} of={total} show={gib} />
            ))}
          </div>
        ))}
      </div>
      {failovers.length > 0 && (
        <Table
          name="If a host fails"
          rows={failovers}
          columns={[
            { head: 'If this host fails', cell: ({ host }) => host },
            {
              head: 'N-1',
              cell: ({ isBad }) => (
                <Status level={isBad ? 'failed' : 'ok'}>{isBad ? 'not enough' : 'holds'}</Status>
              ),
            },
            { head: 'etcd', cell: ({ etcd }) => etcd },
            { head: 'Its nodes', cell: ({ room }) => room },
          ]}
        />
      )}
      {problems.map(({ message, advice }) => (
        <div key={message} class="notice failed">
          <Status level="failed">{message}</Status>
          <p class="soft">{advice}</p>
        </div>
      ))}
      {notes.map(({ message }) => (
        <p key={message}>
          <Status level="note">{message}</Status>
        </p>
      ))}
    </Card>
  );
}

function Level({
  name,
  used,
  of,
  show,
}: {
  readonly name: string;
  readonly used: number;
  readonly of: number | undefined;
  readonly show: (value: number) => string;
}) {
  if (of === undefined) return <p class="soft">{name}: size unknown</p>;
  const share = of === 0 ? 1 : used / of;
  const level = share > 1 ? 'over' : share > 0.9 ? 'high' : 'fine';
  return (
    <div class="level">
      <span>{name}</span>
      <meter
        class={level}
        min={0}
        max={Math.max(of, used)}
        value={used}
        aria-label={`${name}: ${percent(share)}`}
      />
      <span class="soft">
        {show(used)} of {show(of)}, {percent(share)}
        {share > 1 ? ', overcommitted' : ''}
      </span>
    </div>
  );
}

function WhatIf({
  id,
  view,
  onTried,
}: {
  readonly id: string;
  readonly view: CapacityView;
  readonly onTried: (view: WhatIfView | undefined) => void;
}) {
  const edits = useSignal<Readonly<Record<string, WhatIfEdit>>>({});
  const shown = useSignal<WhatIfView | undefined>(undefined);
  const error = useSignal<ErrorView | undefined>(undefined);
  const busy = useSignal(false);
  const asked = useSignal<WhatIfView | undefined>(undefined);
  const tryOut = async (): Promise<void> => {
    busy.value = true;
    error.value = undefined;
    try {
      shown.value = await ask<WhatIfView>(`/api/clusters/${id}/what-if`, {
        edits: Object.values(edits.value),
      });
      onTried(shown.value);
    } catch (cause) {
      error.value = failed(cause);
    } finally {
      busy.value = false;
    }
  };
  const write = async ({ digest }: WhatIfView): Promise<void> => {
    await ask(`/api/clusters/${id}/config`, { edits: Object.values(edits.value), digest });
    shown.value = undefined;
    edits.value = {};
    onTried(undefined);
  };
  const change = (edit: WhatIfEdit): void => {
    edits.value = { ...edits.value, [edit.group]: { ...edits.value[edit.group], ...edit } };
    shown.value = undefined;
  };
  const isChanged = Object.keys(edits.value).length > 0;
  return (
    <Card title="What if">
      <p class="soft">Tried on a copy of oxherd.yaml; the file stays as it is.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void tryOut();
        }}
      >
        {view.groups.map((group) => (
          <Group
            key={group.name}
            group={group}
            hosts={view.hosts}
            edit={edits.value[group.name]}
            onChange={change}
          />
        ))}
        <div class="actions">
          <button type="submit" class="primary" disabled={!isChanged || busy.value}>
            {busy.value ? 'Working it out …' : 'Show what would follow'}
          </button>
          {shown.value && shown.value.error === undefined && mayWrite.value && (
            <button
              type="button"
              onClick={() => {
                asked.value = shown.value;
              }}
            >
              Write to oxherd.yaml
            </button>
          )}
        </div>
      </form>
      {asked.value && (
        <WriteDialog
          view={asked.value}
          onWrite={write}
          onClose={() => {
            asked.value = undefined;
          }}
        />
      )}
      {error.value && <Failure error={error.value} />}
      {shown.value?.error && <Failure error={shown.value.error} />}
      {shown.value && <Diff lines={shown.value.diff} />}
    </Card>
  );
}

function WriteDialog({
  view,
  onWrite,
  onClose,
}: {
  readonly view: WhatIfView;
  readonly onWrite: (view: WhatIfView) => Promise<void>;
  readonly onClose: () => void;
}) {
  return (
    <ConfirmDialog
      question={view.question}
      action="Write these lines"
      onConfirm={() => onWrite(view)}
      onClose={onClose}
    >
      <p class="soft">Nothing is applied by this. All other lines stay as they are.</p>
      <Diff lines={view.diff} />
      {view.plan && <p>The plan that would follow: {view.plan.what}</p>}
    </ConfirmDialog>
  );
}

function Group({
  group,
  hosts,
  edit,
  onChange,
}: {
  readonly group: NodeGroup;
  readonly hosts: readonly string[];
  readonly edit: WhatIfEdit | undefined;
  readonly onChange: (edit: WhatIfEdit) => void;
}) {
  const chosen = edit?.hosts ?? group.hosts;
  return (
    <fieldset>
      <legend>
        {group.name} <span class="soft">{group.role === 'controlplane' ? 'control planes' : 'workers'}</span>
      </legend>
      <div class="fields">
        {group.count !== undefined && (
          <label>
            Nodes
            <input
              type="number"
              min={0}
              max={5000}
              value={edit?.count ?? group.count}
              onInput={(event) => onChange({ group: group.name, count: event.currentTarget.valueAsNumber })}
            />
          </label>
        )}
        <label>
          vCPU
          <input
            type="number"
            min={1}
            value={edit?.cores ?? group.cores}
            onInput={(event) => onChange({ group: group.name, cores: event.currentTarget.valueAsNumber })}
          />
        </label>
        <label>
          Memory
          <input
            value={edit?.memory ?? group.memory}
            onInput={(event) => onChange({ group: group.name, memory: event.currentTarget.value })}
          />
        </label>
      </div>
      {group.count !== undefined && hosts.length > 1 && (
        <div class="choices">
          <span class="soft">Hosts</span>
          {hosts.map((host) => (
            <label key={host}>
              <input
                type="checkbox"
                checked={chosen.includes(host)}
                onChange={(event) => {
                  const next = event.currentTarget.checked
                    ? [...chosen, host]
                    : chosen.filter((one) => one !== host);
                  onChange({ group: group.name, hosts: next });
                }}
              />
              {host}
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}
