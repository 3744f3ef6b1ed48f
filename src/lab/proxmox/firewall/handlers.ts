/** `…/firewall` of the cluster, of hosts and of VMs (recording `firewall-vm`). Nothing is ever filtered. */
import { type Call, type Handlers, PveError } from '../api.js';
import { METHODS } from '../gen/schema.js';
import { EXTRA_METHODS } from '../http/extra-methods.js';
import { nodeOf, vmidOf } from '../http/request.js';
import { assertDigest, digestOfText } from '../section-config.js';
import { splitList } from '../validation/formats.js';
import { groupHandlers } from './groups.js';
import { MACROS } from './names.js';
import { CLUSTER, changeFirewall, type FirewallRecord, hostScope, readFirewall, vmScope } from './records.js';
import { type RuleList, ruleHandlers } from './rules.js';
import { aliasHandlers, ipSetHandlers, type ScopeOf } from './sets.js';
import type { RulePlace } from './verify-rule.js';

const VM = '/nodes/{node}/qemu/{vmid}/firewall';
const CONTAINER = '/nodes/{node}/lxc/{vmid}/firewall';
const HOST = '/nodes/{node}/firewall';
const DATACENTER = '/cluster/firewall';

const ofVm: ScopeOf = (call) => vmScope(vmidOf(call));
const ofHost: ScopeOf = (call) => hostScope(nodeOf(call));
const ofCluster: ScopeOf = () => CLUSTER;

export const firewallHandlers: Handlers = {
  ...guestHandlers(VM),
  ...guestHandlers(CONTAINER),
  [`GET ${HOST}`]: () => ['rules', 'options', 'log'].map((name) => ({ name })),
  [`GET ${DATACENTER}`]: () =>
    ['aliases', 'rules', 'options', 'groups', 'ipset', 'macros', 'refs'].map((name) => ({ name })),
  [`GET ${HOST}/log`]: emptyLog,
  [`GET ${DATACENTER}/macros`]: () => MACROS.map((macro) => ({ macro, descr: `${macro} traffic` })),
  [`GET ${DATACENTER}/refs`]: (call) => refs(call, CLUSTER, 'dc'),
  ...optionHandlers(`${HOST}/options`, ofHost),
  ...optionHandlers(`${DATACENTER}/options`, ofCluster),
  ...ruleHandlers(`${HOST}/rules`, rulesOf(ofHost, 'host')),
  ...ruleHandlers(`${DATACENTER}/rules`, rulesOf(ofCluster, 'cluster')),
  ...aliasHandlers(`${DATACENTER}/aliases`, ofCluster),
  ...ipSetHandlers(`${DATACENTER}/ipset`, ofCluster),
  ...groupHandlers(`${DATACENTER}/groups`),
};

/** A VM or a container: the id says which. */
function guestHandlers(path: string): Handlers {
  return {
    [`GET ${path}`]: () => ['rules', 'aliases', 'ipset', 'refs', 'options'].map((name) => ({ name })),
    [`GET ${path}/log`]: emptyLog,
    [`GET ${path}/refs`]: (call) => [...refs(call, CLUSTER, 'dc'), ...refs(call, ofVm(call), 'guest')],
    ...optionHandlers(`${path}/options`, ofVm),
    ...ruleHandlers(`${path}/rules`, rulesOf(ofVm, 'vm')),
    ...aliasHandlers(`${path}/aliases`, ofVm),
    ...ipSetHandlers(`${path}/ipset`, ofVm),
  };
}

function emptyLog(call: Call): unknown {
  call.total(1);
  return [{ n: 1, t: 'no content' }];
}

function rulesOf(scope: ScopeOf, place: RulePlace): RuleList {
  return {
    place,
    read: (call) => readFirewall(call.pve, scope(call)).rules,
    write: (call, rules) => changeFirewall(call.pve, scope(call), () => ({ rules })),
    own: (call) => readFirewall(call.pve, scope(call)),
    cluster: (call) => readFirewall(call.pve, CLUSTER),
  };
}

function optionHandlers(path: string, scope: ScopeOf): Handlers {
  return {
    [`GET ${path}`]: (call) => {
      const { options } = readFirewall(call.pve, scope(call));
      return { ...options, digest: digestOfText(options) };
    },
    [`PUT ${path}`]: (call) => {
      const { node: _node, vmid: _vmid, delete: remove, digest, ...rest } = call.params;
      // More than on or off, which only the cluster's takes, is the time at which it was turned on.
      const given =
        Number(rest.enable) > 1 ? { ...rest, enable: Math.floor(call.pve.core.clock.now() / 1000) } : rest;
      changeFirewall(call.pve, scope(call), ({ options }) => {
        assertDigest(digest, digestOfText(options));
        return { options: { ...without(options, path, splitList(String(remove ?? ''))), ...given } };
      });
      return null;
    },
  };
}

const NO_OPTIONS = ['node', 'vmid', 'delete', 'digest'];

/** Only options that can be set can be removed. */
function without(
  options: FirewallRecord['options'],
  path: string,
  names: readonly string[],
): FirewallRecord['options'] {
  const method = [...METHODS, ...EXTRA_METHODS].find((one) => one.method === 'PUT' && one.path === path);
  const known = Object.keys(method?.parameters.properties ?? {});
  const bad = names.find((name) => !known.includes(name) || NO_OPTIONS.includes(name));
  if (bad !== undefined) throw PveError.parameter({ delete: `no such option '${bad}'` });
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));
}

/** What may stand in `source` and `dest`. */
function refs(call: Call, scope: string, scopeName: string): unknown[] {
  const { ipsets, aliases } = readFirewall(call.pve, scope);
  const type = call.text('type');
  const noted = (comment: string | undefined) => (comment === undefined ? {} : { comment });
  return [
    ...Object.entries(type === 'alias' ? {} : ipsets).map(([name, { comment }]) => ({
      type: 'ipset',
      name,
      ref: `+${name}`,
      scope: scopeName,
      ...noted(comment),
    })),
    ...Object.entries(type === 'ipset' ? {} : aliases).map(([name, { comment }]) => ({
      type: 'alias',
      name,
      ref: name,
      scope: scopeName,
      ...noted(comment),
    })),
  ];
}
