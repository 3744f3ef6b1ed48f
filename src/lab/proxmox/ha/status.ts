/** What the manager tells of itself (PVE/API2/HA/Status.pm); recordings `ha-resources`, `ha-live`. */
import type { Call, Handlers, Pve } from '../api.js';
import { hasQuorum, hostIsUp } from '../quorum.js';
import { haResourceHandlers } from './resources.js';
import { haRuleHandlers } from './rules.js';
import { type HaResource, type HaService, readManager, requestedState, writeManager } from './state.js';

export const haHandlers: Handlers = {
  'GET /cluster/ha': () => ['status', 'resources', 'groups', 'rules'].map((id) => ({ id })),
  ...haResourceHandlers,
  ...haRuleHandlers,
  'GET /cluster/ha/status': () =>
    ['current', 'manager_status', 'arm-ha', 'disarm-ha'].map((name) => ({ name })),
  'GET /cluster/ha/status/current': currentStatus,
  'GET /cluster/ha/status/manager_status': managerStatus,
  'POST /cluster/ha/status/arm-ha': ({ pve }) => {
    const { disarmed: _was, ...manager } = readManager(pve);
    pve.db.haManager.put('manager', manager);
    return null;
  },
  'POST /cluster/ha/status/disarm-ha': (call) => {
    writeManager(call.pve, { disarmed: call.text('resource-mode') === 'ignore' ? 'ignore' : 'freeze' });
    return null;
  },
};

function dateText(seconds: number): string {
  const [day = '', date = '', month = '', year = '', time = ''] = new Date(seconds * 1000)
    .toUTCString()
    .replace(',', '')
    .split(' ');
  return `${day} ${month} ${String(Number(date)).padStart(2, ' ')} ${time} ${year}`;
}

function currentStatus(call: Call): unknown {
  const { pve } = call;
  const manager = readManager(pve);
  const quorate = hasQuorum(pve);
  const lines: unknown[] = [
    {
      id: 'quorum',
      type: 'quorum',
      node: call.host,
      status: quorate ? 'OK' : `No quorum on node '${call.host}'!`,
      quorate: quorate ? 1 : 0,
    },
  ];
  const { master, timestamp = 0 } = manager;
  if (master !== undefined) {
    lines.push({
      id: 'master',
      type: 'master',
      node: master,
      status: `${master} (active, ${dateText(timestamp)})`,
      timestamp,
    });
  }
  lines.push(fencing(manager.disarmed, master, call.host));
  for (const node of Object.keys(manager.nodes).sort()) lines.push(lrmLine(pve, node, timestamp));
  const resources = new Map([...pve.db.haResources.values()].map((resource) => [resource.sid, resource]));
  for (const service of pve.db.haServices.values()) {
    lines.push(serviceLine(pve, service.sid, service, resources.get(service.sid)));
    resources.delete(service.sid);
  }
  for (const [sid, resource] of resources) lines.push(serviceLine(pve, sid, undefined, resource));
  return lines;
}

function fencing(disarmed: string | undefined, master: string | undefined, host: string): unknown {
  const armed = disarmed === undefined ? (master === undefined ? 'standby' : 'armed') : 'disarmed';
  const watchdog = `CRM watchdog ${master === undefined ? 'standby' : 'active'}`;
  return {
    id: 'fencing',
    type: 'fencing',
    node: master ?? host,
    status:
      disarmed === undefined
        ? `${armed} (${watchdog})`
        : `${armed}, resource mode: ${disarmed} (watchdog released)`,
    'armed-state': armed,
    ...(disarmed === undefined ? {} : { resource_mode: disarmed }),
  };
}

function lrmLine(pve: Pve, node: string, timestamp: number): unknown {
  const services = [...pve.db.haServices.values()].filter((one) => one.node === node);
  const up = hostIsUp(pve, node);
  const word = !up ? 'old timestamp - dead?' : services.length > 0 ? 'active' : 'idle';
  const watchdog = up && services.length > 0 ? 'watchdog active' : 'watchdog standby';
  return {
    id: `lrm:${node}`,
    type: 'lrm',
    node,
    status: `${node} (${word}, ${watchdog}, ${dateText(timestamp)})`,
    timestamp,
  };
}

function serviceLine(
  pve: Pve,
  sid: string,
  service: HaService | undefined,
  resource: HaResource | undefined,
): unknown {
  const node = service?.node ?? pve.db.vms.get(sid.split(':')[1] ?? '')?.host;
  const state = verboseState(service, resource, node);
  return {
    id: `service:${sid}`,
    type: 'service',
    sid,
    ...(node === undefined ? {} : { node }),
    ...(service ? { crm_state: service.state } : {}),
    state,
    status: `${sid} (${node}, ${state})`,
    ...(resource
      ? {
          request_state: requestedState(resource),
          max_restart: resource.max_restart ?? 1,
          max_relocate: resource.max_relocate ?? 1,
          failback: resource.failback ?? 1,
          ...(resource.comment === undefined ? {} : { comment: resource.comment }),
        }
      : {}),
  };
}

function verboseState(
  service: HaService | undefined,
  resource: HaResource | undefined,
  node: string | undefined,
): string {
  if (!resource) return 'deleting';
  const wanted = requestedState(resource);
  if (wanted === 'ignored') return 'ignored';
  if (node === undefined) return 'not found';
  if (!service) return 'queued';
  if (service.state === 'stopped') {
    return wanted === 'started' ? 'starting' : wanted === 'disabled' ? 'disabled' : 'stopped';
  }
  if (service.state === 'started') {
    if (wanted === 'stopped' || wanted === 'disabled') return 'stopping';
    return service.running ? 'started' : 'starting';
  }
  if (service.state === 'error' && wanted === 'disabled') return 'clearing error flag';
  return service.state;
}

function managerStatus(call: Call): unknown {
  const { pve } = call;
  const { master, timestamp, nodes } = readManager(pve);
  const states = Object.fromEntries(Object.entries(nodes).map(([node, { state }]) => [node, state]));
  const services = Object.fromEntries(
    [...pve.db.haServices.values()].map(({ sid, state, node, target, running }) => [
      sid,
      { state, node, ...(target ? { target } : {}), ...(running ? { running: 1 } : {}) },
    ]),
  );
  const status =
    master === undefined
      ? { node_status: states }
      : { master_node: master, timestamp, node_status: states, service_status: services };
  const lrm = Object.fromEntries(
    Object.keys(nodes).map((node) => [node, { mode: 'active', state: 'active', timestamp, results: {} }]),
  );
  return {
    manager_status: status,
    quorum: { node: call.host, quorate: hasQuorum(pve) ? '1' : '0' },
    ...(master === undefined ? {} : { lrm_status: lrm }),
  };
}
