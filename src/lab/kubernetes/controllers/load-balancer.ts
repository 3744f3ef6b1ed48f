import {
  type AddressRange,
  addToIPv4,
  type IPv4,
  ipv4ToNumber,
  parseAddressRange,
  parseIPv4,
  rangeContains,
} from '../../../model/address.js';
import { at, listOf, objOf, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { selectorMatches } from '../selectors/object-selector.js';
import { type Controller, type World, withCondition } from './world.js';

const POOLS = 'ciliumloadbalancerippools.cilium.io';
const WANTED = 'lbipam.cilium.io/ips';
const OPERATOR = 'cilium-operator-generic';

/** LB IPAM of Cilium's operator: Services of type LoadBalancer get an address of a pool; nothing announces it. */
export const loadBalancerController: Controller = {
  reconcile(world) {
    if (!world.find('customresourcedefinitions.apiextensions.k8s.io', undefined, POOLS)) return undefined;
    const pools = world.list(POOLS).filter((pool) => at(pool, 'spec', 'disabled') !== true);
    const services = world
      .list('services')
      .filter((service) => at(service, 'spec', 'type') === 'LoadBalancer');
    const taken = new Set<string>();
    for (const service of services) keep(world, service, pools, taken);
    for (const service of services)
      if (addressOf(world, service) === undefined) assign(world, service, pools, taken);
    for (const pool of pools) count(world, pool, taken);
    return undefined;
  },
};

function blocksOf(pool: KubeObject): AddressRange[] {
  return listOf(at(pool, 'spec', 'blocks')).flatMap((block) => {
    const { cidr, start, stop = start } = objOf(block);
    return parseAddressRange(textOf(cidr) || `${textOf(start)}-${textOf(stop)}`) ?? [];
  });
}

function selects(pool: KubeObject, service: KubeObject): boolean {
  return selectorMatches(objOf(at(pool, 'spec', 'serviceSelector')), service.metadata.labels ?? {});
}

function addressOf(world: World, { metadata }: KubeObject): IPv4 | undefined {
  const service = world.find('services', metadata.namespace, metadata.name);
  const [first] = listOf(at(service, 'status', 'loadBalancer', 'ingress'));
  return parseIPv4(textOf(objOf(first).ip));
}

/** What a Service has it keeps, as long as a pool has it. */
function keep(world: World, service: KubeObject, pools: readonly KubeObject[], taken: Set<string>): void {
  const address = addressOf(world, service);
  if (address === undefined) return;
  const allowed = pools.some(
    (pool) => selects(pool, service) && blocksOf(pool).some((block) => rangeContains(block, address)),
  );
  if (allowed && !taken.has(address)) taken.add(address);
  else world.setStatus('services', service, { ...objOf(service.status), loadBalancer: {} }, OPERATOR);
}

function assign(world: World, service: KubeObject, pools: readonly KubeObject[], taken: Set<string>): void {
  const asked = service.metadata.annotations?.[WANTED];
  const address = pools
    .filter((pool) => selects(pool, service))
    .flatMap(blocksOf)
    .map((block) => freeIn(block, taken, asked))
    .find((each) => each !== undefined);
  if (address === undefined) return;
  taken.add(address);
  const current = world.find('services', service.metadata.namespace, service.metadata.name) ?? service;
  const loadBalancer = { ingress: [{ ip: address, ipMode: 'VIP' }] };
  world.setStatus('services', current, { ...objOf(current.status), loadBalancer }, OPERATOR);
}

function freeIn(
  block: AddressRange,
  taken: ReadonlySet<string>,
  asked: string | undefined,
): IPv4 | undefined {
  const wanted = asked === undefined ? undefined : parseIPv4(asked);
  if (wanted) return rangeContains(block, wanted) && !taken.has(wanted) ? wanted : undefined;
  for (let ip: IPv4 | undefined = block.first; ip && rangeContains(block, ip); ip = addToIPv4(ip, 1))
    if (!taken.has(ip)) return ip;
  return undefined;
}

function count(world: World, pool: KubeObject, taken: ReadonlySet<string>): void {
  const blocks = blocksOf(pool);
  const total = blocks.reduce(
    (sum, { first, last }) => sum + ipv4ToNumber(last) - ipv4ToNumber(first) + 1,
    0,
  );
  const used = [...taken].filter((text) => {
    const ip = parseIPv4(text);
    return ip !== undefined && blocks.some((block) => rangeContains(block, ip));
  }).length;
  const said = [
    { type: 'cilium.io/PoolConflict', status: 'False', reason: 'resolved', message: '' },
    { type: 'cilium.io/IPsTotal', status: 'Unknown', reason: 'noreason', message: String(total) },
    { type: 'cilium.io/IPsAvailable', status: 'Unknown', reason: 'noreason', message: String(total - used) },
    { type: 'cilium.io/IPsUsed', status: 'Unknown', reason: 'noreason', message: String(used) },
  ];
  const before = listOf(at(pool, 'status', 'conditions'));
  const conditions = said.reduce<readonly unknown[]>(
    (list, condition) => withCondition(list, condition, world.time),
    before,
  );
  world.setStatus(POOLS, pool, { ...objOf(pool.status), conditions }, OPERATOR);
}
