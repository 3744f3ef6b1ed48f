/** Only the zone that every host has of itself: its own bridges. */
import { type Handlers, PveError } from '../api.js';
import { nodeOf } from '../http/request.js';

const LOCAL = 'localnetwork';

export const sdnHandlers: Handlers = {
  'GET /cluster/sdn': () => ['vnets', 'zones', 'controllers', 'ipams', 'dns'].map((id) => ({ id })),
  'GET /cluster/sdn/zones': () => [],
  'GET /cluster/sdn/zones/{zone}': (call) => {
    throw new PveError(500, `sdn '${call.text('zone')}' does not exist`);
  },
  'GET /cluster/sdn/vnets': () => [],
  'GET /cluster/sdn/vnets/{vnet}': (call) => {
    throw new PveError(500, `sdn '${call.text('vnet')}' does not exist`);
  },
  'GET /nodes/{node}/sdn': () => [{ name: 'zones' }],
  'GET /nodes/{node}/sdn/zones': (call) =>
    call.allows(`/sdn/zones/${LOCAL}`, ['SDN.Audit', 'SDN.Allocate'], { any: true })
      ? [{ zone: LOCAL, status: 'available' }]
      : [],
  'GET /nodes/{node}/sdn/zones/{zone}': () => ['content', 'bridges', 'ip-vrf'].map((subdir) => ({ subdir })),
  'GET /nodes/{node}/sdn/zones/{zone}/content': (call) =>
    (call.text('zone') === LOCAL ? (call.pve.db.hosts.get(nodeOf(call))?.bridges ?? []) : []).map(
      ({ iface }) => ({
        vnet: iface,
        status: 'available',
      }),
    ),
};
