/** From the versions that run to others, hop by hop. */
import { useSignal } from '@preact/signals';
import type { UpgradeView } from '../../api.js';
import { Command } from '../parts/command.js';
import { Card, Failure, Loading } from '../parts/notice.js';
import { Status } from '../parts/status.js';
import { Table, Twin } from '../parts/table.js';
import { useResource } from '../state/resource.js';

const NAMES = { talos: 'Talos', kubernetes: 'Kubernetes' } as const;

export function UpgradePage() {
  const goal = useSignal<Partial<UpgradeView['goal']>>({});
  const { value, error } = useResource<UpgradeView>(() => {
    const query = new URLSearchParams(Object.entries(goal.value));
    return `/upgrade?${query}`;
  });
  if (error) return <Failure error={error} />;
  if (!value) return <Loading what="versions" />;
  const choose = (what: 'talos' | 'kubernetes') => (
    <label key={what}>
      {NAMES[what]}
      <select
        value={value.goal[what]}
        onChange={(event) => {
          goal.value = { ...goal.value, [what]: event.currentTarget.value };
        }}
      >
        {value.choices[what].map((version) => (
          <option key={version} value={version}>
            {version}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <Card title="Upgrade path">
      <p class="soft">
        Now: Talos {value.running?.talos.join(', ') ?? 'unknown'}, Kubernetes{' '}
        {value.running?.kubernetes.join(', ') ?? 'unknown'}
      </p>
      <div class="fields">{[choose('talos'), choose('kubernetes')]}</div>
      <Hops view={value} />
      <Twin name="Versions">
        {() => (
          <Table
            name="Versions of each node"
            rows={value.running?.nodes ?? []}
            columns={[
              { head: 'Node', cell: ({ node }) => node },
              { head: 'Talos', cell: ({ talos }) => talos },
              { head: 'kubelet', cell: ({ kubernetes }) => kubernetes ?? '' },
            ]}
          />
        )}
      </Twin>
      {value.refused === undefined && <Command line={value.command} />}
    </Card>
  );
}

function Hops({ view: { hops, refused } }: { readonly view: UpgradeView }) {
  if (refused !== undefined)
    return (
      <p>
        <Status level="failed">{refused}</Status>
      </p>
    );
  if (hops.length === 0)
    return (
      <p>
        <Status level="ok">Every node runs these versions.</Status>
      </p>
    );
  return (
    <ol class="hops">
      {hops.map(({ what, from, to }) => (
        <li key={`${what} ${to}`}>
          <strong>{NAMES[what]}</strong> {from} → {to}
          <span class="soft">
            {what === 'talos' ? 'every node restarts, one at a time' : 'components restart, nodes stay'}
          </span>
        </li>
      ))}
    </ol>
  );
}
