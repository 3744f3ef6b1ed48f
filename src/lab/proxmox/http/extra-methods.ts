import type { MethodSchema, PropertySchema } from '../schema.js';
import { ACME_METHODS } from './acme-methods.js';
import { CONTAINER_METHODS } from './container-methods.js';
import { like, method, NODE, perm } from './method.js';
import { METRIC_METHODS } from './metric-methods.js';
import { NODE_METHODS } from './node-methods.js';
import { SDN_METHODS } from './sdn-methods.js';

const AUDIT = perm('/', 'Sys.Audit');
const MODIFY = perm('/', 'Sys.Modify');

const VM_FIREWALL = '/nodes/{node}/qemu/{vmid}/firewall';
const GROUP: PropertySchema = {
  type: 'string',
  pattern: '[A-Za-z][A-Za-z0-9\\-_]+',
  minLength: 2,
  maxLength: 18,
};

/** Members of groups and sets of the cluster, and the firewalls of hosts: as those of VMs. */
const FIREWALL_METHODS = [
  ...(['GET', 'PUT', 'DELETE'] as const).flatMap((verb) => {
    const rights = verb === 'GET' ? AUDIT : MODIFY;
    const onHost = verb === 'GET' ? perm('/nodes/{node}', 'Sys.Audit') : perm('/nodes/{node}', 'Sys.Modify');
    return [
      like(`${verb} ${VM_FIREWALL}/rules/{pos}`, '/cluster/firewall/groups/{group}/{pos}', rights, {
        group: GROUP,
      }),
      like(`${verb} ${VM_FIREWALL}/ipset/{name}/{cidr}`, '/cluster/firewall/ipset/{name}/{cidr}', rights, {}),
      like(`${verb} ${VM_FIREWALL}/rules/{pos}`, '/nodes/{node}/firewall/rules/{pos}', onHost, {}),
    ];
  }),
  like(`GET ${VM_FIREWALL}/rules`, '/nodes/{node}/firewall/rules', perm('/nodes/{node}', 'Sys.Audit'), {}),
  like(`POST ${VM_FIREWALL}/rules`, '/nodes/{node}/firewall/rules', perm('/nodes/{node}', 'Sys.Modify'), {}),
  like(`GET ${VM_FIREWALL}/log`, '/nodes/{node}/firewall/log', perm('/nodes/{node}', 'Sys.Syslog'), {}),
  method('GET', '/nodes/{node}/firewall', { user: 'all' }, {}),
  method('GET', '/nodes/{node}/firewall/options', perm('/nodes/{node}', 'Sys.Audit'), {}),
];

const FLAG: PropertySchema = { type: 'boolean', optional: true };
const NUMBER: PropertySchema = { type: 'integer', optional: true, minimum: 0 };
const LOG_LEVEL: PropertySchema = {
  type: 'string',
  optional: true,
  enum: ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug', 'nolog'],
};

const HOST_FIREWALL_OPTIONS = method(
  'PUT',
  '/nodes/{node}/firewall/options',
  perm('/nodes/{node}', 'Sys.Modify'),
  {
    enable: FLAG,
    log_level_in: LOG_LEVEL,
    log_level_out: LOG_LEVEL,
    log_level_forward: LOG_LEVEL,
    tcp_flags_log_level: LOG_LEVEL,
    smurf_log_level: LOG_LEVEL,
    nosmurfs: FLAG,
    tcpflags: FLAG,
    ndp: FLAG,
    nf_conntrack_max: { ...NUMBER, minimum: 32_768 },
    nf_conntrack_tcp_timeout_established: { ...NUMBER, minimum: 7_875 },
    nf_conntrack_tcp_timeout_syn_recv: { ...NUMBER, minimum: 30, maximum: 60 },
    nf_conntrack_allow_invalid: FLAG,
    nf_conntrack_helpers: { type: 'string', optional: true, format: 'pve-fw-conntrack-helper' },
    protection_synflood: FLAG,
    protection_synflood_rate: NUMBER,
    protection_synflood_burst: NUMBER,
    log_nf_conntrack: FLAG,
    nftables: FLAG,
    delete: { type: 'string', format: 'pve-configid-list', optional: true },
    digest: { type: 'string', maxLength: 64, optional: true },
  },
);

const ID: PropertySchema = { type: 'string', format: 'pve-configid' };
const TEXT: PropertySchema = { type: 'string', optional: true };

/** As the mappings of PCI devices, with lines of their own. */
function mappingMethods(kind: 'usb' | 'dir', format: string): MethodSchema[] {
  const path = `/cluster/mapping/${kind}`;
  const own = `/mapping/${kind}/{id}`;
  const map: PropertySchema = { type: 'array', items: { type: 'string', format } };
  const change = { id: ID, description: { ...TEXT, maxLength: 4096 } };
  const modify = perm(own, 'Mapping.Modify');
  return [
    method('GET', path, { user: 'all' }, { 'check-node': { ...NODE, optional: true } }),
    method('POST', path, perm(`/mapping/${kind}`, 'Mapping.Modify'), { ...change, map }),
    method(
      'GET',
      `${path}/{id}`,
      {
        check: [
          'or',
          ['perm', own, ['Mapping.Use']],
          ['perm', own, ['Mapping.Modify']],
          ['perm', own, ['Mapping.Audit']],
        ],
      },
      { id: ID },
    ),
    method('PUT', `${path}/{id}`, modify, {
      ...change,
      map: kind === 'usb' ? map : { ...map, optional: true },
      delete: { ...TEXT, maxLength: 4096 },
      digest: { ...TEXT, maxLength: 64 },
    }),
    method('DELETE', `${path}/{id}`, perm(`/mapping/${kind}`, 'Mapping.Modify'), { id: ID }),
  ];
}

/** Methods that clients call though they are not in the generated part of the API (recording `cluster-overview`). */
export const EXTRA_METHODS: readonly MethodSchema[] = [
  ...ACME_METHODS,
  ...CONTAINER_METHODS,
  ...FIREWALL_METHODS,
  HOST_FIREWALL_OPTIONS,
  ...METRIC_METHODS,
  ...NODE_METHODS,
  ...SDN_METHODS,
  ...mappingMethods('usb', 'pve-mapping-usb-line'),
  ...mappingMethods('dir', 'pve-mapping-dir-line'),
];
