/** The living map: hosts, then one host, then one node; drawn by the code that `oxherd graph` uses. */
import { HEALTH_SIGNS } from '../../../export/picture/node-boxes.js';
import type { DrivePicture, HostPicture, NodePicture } from '../../../export/picture/picture.js';
import type { ClusterView } from '../../api.js';
import { Command } from '../parts/command.js';
import { gib, percent } from '../parts/format.js';
import { MapDrawing } from '../parts/map-drawing.js';
import { Card } from '../parts/notice.js';
import { levelOf, Status } from '../parts/status.js';
import { Table, Twin } from '../parts/table.js';
import { address, go, place } from '../state/router.js';
import { justChanged } from '../state/store.js';

/** With more hosts than this the map begins with the hosts alone. */
const MANY_HOSTS = 6;

export function MapPage({ view }: { readonly view: ClusterView }) {
  const { rest } = place.value;
  const { hosts } = view.picture;
  const host = hosts.find(({ name }) => name === rest[0]);
  const node = host?.nodes.find(({ name }) => name === rest[1]);
  const { id } = view.summary;
  return (
    <>
      <Path id={id} host={host?.name} node={node?.name} />
      {node && host ? (
        <NodeCard view={view} host={host} node={node} />
      ) : host ? (
        <HostCard id={id} host={host} />
      ) : (
        <AllHosts id={id} view={view} />
      )}
    </>
  );
}

function Path({
  id,
  host,
  node,
}: {
  readonly id: string;
  readonly host: string | undefined;
  readonly node: string | undefined;
}) {
  if (host === undefined) return null;
  return (
    <nav class="path" aria-label="Where the map is">
      <a href={address(id, 'map')}>All hosts</a>
      <span aria-hidden="true">▸</span>
      {node === undefined ? <strong>{host}</strong> : <a href={address(id, 'map', host)}>{host}</a>}
      {node !== undefined && (
        <>
          <span aria-hidden="true">▸</span>
          <strong>{node}</strong>
        </>
      )}
    </nav>
  );
}

function AllHosts({ id, view }: { readonly id: string; readonly view: ClusterView }) {
  const { picture } = view;
  const { hosts } = picture;
  const detail = hosts.length > MANY_HOSTS ? 'hosts' : 'nodes';
  const nodes = hosts.flatMap((host) => host.nodes.map((node) => ({ host, node })));
  const hostOf = (name: string) =>
    hosts.find((one) => one.name === name || one.nodes.some((n) => n.name === name));
  const open = (name: string): void => {
    const host = hostOf(name);
    if (host) go(id, 'map', host.name, ...(host.name === name ? [] : [name]));
  };
  return (
    <Card
      title={`${hosts.length} ${hosts.length === 1 ? 'host' : 'hosts'}, ${nodes.length} nodes`}
      aside={<Legend />}
    >
      <MapDrawing
        hosts={hosts}
        detail={detail}
        name={`Map of ${picture.cluster}`}
        fresh={justChanged.value}
        onOpen={open}
      />
      <Twin name="Map">
        {() => (
          <>
            <HostTable hosts={hosts} />
            <NodeTable nodes={nodes} />
          </>
        )}
      </Twin>
      <Command line={view.commands.graph ?? ''} label="The same as a file" />
    </Card>
  );
}

function Legend() {
  const kinds = [
    ['controlplane', 'control plane'],
    ['worker', 'worker'],
    ['data', 'data'],
    ['parked', 'parked'],
    ['reserved', 'reserved'],
  ] as const;
  return (
    <ul class="legend" aria-label="Legend">
      {kinds.map(([kind, name]) => (
        <li key={kind}>
          <i class={kind} aria-hidden="true" />
          {name}
        </li>
      ))}
      <li>
        {Object.entries({ ...HEALTH_SIGNS, off: '○' })
          .map(([word, sign]) => `${sign} ${word}`)
          .join('  ')}
        {'  → planned move'}
      </li>
    </ul>
  );
}

function HostTable({ hosts }: { readonly hosts: readonly HostPicture[] }) {
  const used = (host: HostPicture, key: 'cpus' | 'memory') =>
    host.capacity.users.reduce((sum, user) => sum + user[key], 0);
  const share = (host: HostPicture, key: 'cpus' | 'memory') => {
    const all = host.capacity[key];
    return all ? percent(used(host, key) / all) : '?';
  };
  return (
    <Table
      name="Hosts"
      rows={hosts}
      columns={[
        { head: 'Host', cell: ({ name, online }) => (online === false ? `${name}, offline` : name) },
        { head: 'vCPU', cell: ({ capacity }) => capacity.cpus ?? '?', number: true },
        { head: 'promised', cell: (host) => share(host, 'cpus'), number: true },
        { head: 'Memory', cell: ({ capacity }) => gib(capacity.memory), number: true },
        { head: 'promised', cell: (host) => share(host, 'memory'), number: true },
        { head: 'Nodes', cell: ({ nodes }) => nodes.length, number: true },
        {
          head: 'Parked',
          cell: ({ parked }) => gib(parked.reduce((sum, one) => sum + one.size, 0)),
          number: true,
        },
      ]}
    />
  );
}

interface Placed {
  readonly host: HostPicture;
  readonly node: NodePicture;
}

function NodeTable({ nodes }: { readonly nodes: readonly Placed[] }) {
  return (
    <Table
      name="Nodes"
      rows={nodes}
      columns={[
        { head: 'Node', cell: ({ node }) => node.name },
        {
          head: 'Health',
          cell: ({ node }) => (
            <Status level={levelOf(node.health ?? 'unknown')}>{node.health ?? 'unknown'}</Status>
          ),
        },
        { head: 'Role', cell: ({ node }) => (node.role === 'controlplane' ? 'control plane' : 'worker') },
        { head: 'Host', cell: ({ host }) => host.name },
        { head: 'VM', cell: ({ node }) => node.vmid, number: true },
        { head: 'State', cell: ({ node }) => node.state ?? '' },
        { head: 'vCPU', cell: ({ node }) => node.cpus, number: true },
        { head: 'Memory', cell: ({ node }) => gib(node.memory), number: true },
        { head: 'Address', cell: ({ node }) => node.ip },
        { head: 'etcd', cell: ({ node }) => node.etcd ?? '' },
        { head: 'Planned', cell: ({ node }) => (node.movesTo ? `→ ${node.movesTo}` : (node.change ?? '')) },
      ]}
    />
  );
}

function HostCard({ id, host }: { readonly id: string; readonly host: HostPicture }) {
  return (
    <Card title={host.name} aside={<Legend />}>
      <MapDrawing
        hosts={[host]}
        detail="drives"
        name={`Host ${host.name}`}
        fresh={justChanged.value}
        onOpen={(name) => name !== host.name && go(id, 'map', host.name, name)}
      />
      <Twin name="Host">
        {() => (
          <>
            <HostTable hosts={[host]} />
            <NodeTable nodes={host.nodes.map((node) => ({ host, node }))} />
          </>
        )}
      </Twin>
    </Card>
  );
}

function NodeCard({
  view,
  host,
  node,
}: {
  readonly view: ClusterView;
  readonly host: HostPicture;
  readonly node: NodePicture;
}) {
  const row = view.nodes.find((one) => one.node === node.name);
  const conditions = view.conditions.filter(({ subject }) => subject === node.name);
  const owned = (drives: readonly DrivePicture[], owner: number) =>
    drives.map((drive) => ({ ...drive, owner }));
  const drives = [
    ...owned(node.ownDrives, node.vmid),
    ...owned(node.dataVm?.drives ?? [], node.dataVm?.vmid ?? 0),
  ];
  return (
    <Card
      title={node.name}
      aside={<Status level={levelOf(node.health ?? 'unknown')}>{node.state ?? 'unknown'}</Status>}
    >
      <dl class="facts">
        <dt>Role</dt>
        <dd>{node.role === 'controlplane' ? `control plane, etcd ${node.etcd ?? 'unknown'}` : 'worker'}</dd>
        <dt>VM</dt>
        <dd>
          {node.vmid} on {host.name}
        </dd>
        <dt>Size</dt>
        <dd>
          {node.cpus} vCPU, {gib(node.memory)}
        </dd>
        <dt>Address</dt>
        <dd>
          {node.ip} on {node.networks.join(', ')}
        </dd>
        <dt>Versions</dt>
        <dd>
          Talos {row?.talos ?? '?'}, kubelet {row?.kubelet ?? '?'}
        </dd>
        {node.change !== undefined && (
          <>
            <dt>Planned</dt>
            <dd>{node.movesTo ? `moves to ${node.movesTo}` : node.change}</dd>
          </>
        )}
      </dl>
      {conditions.map((condition) => (
        <p key={condition.name}>
          <Status level={levelOf(condition.state)}>
            {condition.name}: {condition.message}
          </Status>
        </p>
      ))}
      <Table
        name={`Drives of ${node.name}`}
        rows={drives}
        columns={[
          { head: 'Drive', cell: ({ name }) => name },
          { head: 'Kind', cell: ({ kind }) => kind },
          { head: 'Size', cell: ({ size }) => gib(size), number: true },
          { head: 'Storage', cell: ({ storage }) => storage },
          { head: 'Owner', cell: ({ owner }) => `VM ${owner}` },
        ]}
      />
    </Card>
  );
}
