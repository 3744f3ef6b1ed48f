import { at, isObj, listOf, type Obj, objOf, sameJson, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { type FieldError, forbiddenValue, invalid, invalidValue } from '../status.js';
import { serviceErrors, subsetErrors } from './checks/services.js';
import { serviceWarnings } from './checks/warnings.js';
import type { KindRules, RuleContext } from './resource-type.js';

const NODE_PORTS = { least: 30000, most: 32767 } as const;

function outside(spec: Obj): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

function defaultPort(port: unknown): Obj {
  const given = objOf(port);
  const target = given.targetPort;
  const unset = target === undefined || target === 0 || target === '';
  return { protocol: 'TCP', ...given, targetPort: unset ? given.port : target };
}

function defaultSpec(given: Obj): Obj {
  const spec: Obj = { type: 'ClusterIP', sessionAffinity: 'None', ...given };
  if (Array.isArray(spec.ports)) spec.ports = spec.ports.map(defaultPort);
  if (spec.type !== 'ExternalName') spec.internalTrafficPolicy ??= 'Cluster';
  const reached = outside(spec) || (spec.type === 'ClusterIP' && listOf(spec.externalIPs).length > 0);
  if (reached) spec.externalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
  if (spec.sessionAffinity === 'ClientIP') {
    const clientIP = { timeoutSeconds: 10800, ...objOf(objOf(spec.sessionAffinityConfig).clientIP) };
    spec.sessionAffinityConfig = { ...objOf(spec.sessionAffinityConfig), clientIP };
  } else if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  return spec;
}

export const serviceRules: KindRules = {
  warnings: serviceWarnings,
  name: 'label',
  returnsDeleted: true,
  defaults(draft) {
    draft.spec = defaultSpec(objOf(draft.spec));
  },
  admitCreate(draft, context) {
    draft.spec = withPorts(draft, withAddress(objOf(draft.spec), context), context);
    draft.status = { loadBalancer: {} };
  },
  admitUpdate(draft, old, context) {
    const was = objOf(old.spec);
    const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, healthCheckNodePort } = was;
    const spec = sameAddresses(withoutTypeFields(objOf(draft.spec), was), was);
    const kept = { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy };
    const named = spec.type === 'ExternalName' || textOf(clusterIP) === '' ? {} : kept;
    const health = needsHealthCheck(spec) && healthCheckNodePort !== undefined ? { healthCheckNodePort } : {};
    const whole = withAddress({ ...named, ...health, ...spec }, context);
    draft.spec = withPorts(draft, withOldPorts(whole, was), context);
    draft.status = old.status;
  },
  validate: (service) => serviceErrors(service),
  validateStatus(service) {
    const ingress = listOf(at(service, 'status', 'loadBalancer', 'ingress'));
    if (ingress.length === 0 || at(service, 'spec', 'type') === 'LoadBalancer') return [];
    const detail = "may only be used when `spec.type` is 'LoadBalancer'";
    return [forbiddenValue('status.loadBalancer.ingress', detail)];
  },
  createOnUpdate: true,
  validateUpdate: (service, old) => addressErrors(objOf(service.spec), objOf(old.spec)),
  fieldLabels: (service) => ({
    'spec.clusterIP': textOf(at(service, 'spec', 'clusterIP')),
    'spec.type': textOf(at(service, 'spec', 'type')),
  }),
};

/** A field that a service of its new kind cannot have goes, where nothing else was asked of it. */
function withoutTypeFields(spec: Obj, was: Obj): Obj {
  const gone = (kept: boolean, had: boolean, names: readonly string[]) =>
    had && !kept ? names.filter((name) => sameJson(spec[name], was[name])) : [];
  const balances = (of: Obj) => of.type === 'LoadBalancer';
  const dropped = [
    ...gone(spec.type !== 'ExternalName', was.type !== 'ExternalName', ADDRESS_FIELDS),
    ...gone(needsHealthCheck(spec), needsHealthCheck(was), ['healthCheckNodePort']),
    ...gone(balances(spec), balances(was), ['allocateLoadBalancerNodePorts', 'loadBalancerClass']),
    ...gone(outside(spec), outside(was), ['externalTrafficPolicy']),
  ];
  const left = Object.fromEntries(Object.entries(spec).filter(([name]) => !dropped.includes(name)));
  if (outside(spec) || !outside(was) || !Array.isArray(left.ports)) return left;
  return {
    ...left,
    ports: left.ports.map((port) => {
      const { nodePort: _, ...rest } = objOf(port);
      return rest;
    }),
  };
}

const ADDRESS_FIELDS = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'];

/** One address in two fields: whoever changes one of them changes the other. */
function sameAddresses(spec: Obj, was: Obj): Obj {
  const [one, all] = [textOf(spec.clusterIP), listOf(spec.clusterIPs)];
  const changed = one !== textOf(was.clusterIP);
  const changedList = !sameJson(all, listOf(was.clusterIPs));
  if (changed && !changedList && one !== '') return { ...spec, clusterIPs: [one] };
  return changedList && !changed && all.length > 0 ? { ...spec, clusterIP: all[0] } : spec;
}

/** The address of a service is its own for life, unless it becomes a name. */
function addressErrors(is: Obj, was: Obj): FieldError[] {
  const address = textOf(was.clusterIP);
  if (address === '' || is.type === 'ExternalName' || was.type === 'ExternalName') return [];
  if (!sameJson(is.clusterIPs, was.clusterIPs) || is.clusterIP !== address) {
    const field = 'spec.clusterIPs[0]';
    return [invalidValue(field, is.clusterIPs, 'may not change once set')];
  }
  return [];
}

function withAddress(spec: Obj, context: RuleContext): Obj {
  if (spec.type === 'ExternalName') return spec;
  const open = spec.clusterIP === 'None' && Object.keys(objOf(spec.selector)).length === 0;
  // Without an address and without pods of its own it may be of any family.
  const families = open
    ? { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }
    : { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
  const listed = listOf(spec.clusterIPs);
  const address =
    textOf(spec.clusterIP) ||
    textOf(listed[0]) ||
    freeAddress(context.list('services').map((service) => textOf(at(service, 'spec', 'clusterIP'))));
  return {
    ...families,
    ...spec,
    clusterIP: address,
    clusterIPs: listed.length > 0 ? listed : [address],
  };
}

/** From 10.96.0.0/12, the default service range. */
function freeAddress(taken: readonly string[]): string {
  for (let number = 20; ; number += 1) {
    const address = `10.96.${Math.floor(number / 256)}.${number % 256}`;
    if (!taken.includes(address)) return address;
  }
}

function needsHealthCheck(spec: Obj): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

/** A port that was given its number keeps it. */
function withOldPorts(spec: Obj, old: Obj): Obj {
  if (!outside(spec) || !Array.isArray(spec.ports)) return spec;
  const before = listOf(old.ports).map(objOf);
  const ports = spec.ports.map(objOf).map((port) => {
    const was = before.find((other) => other.port === port.port && other.protocol === port.protocol);
    return port.nodePort || !was?.nodePort ? port : { ...port, nodePort: was.nodePort };
  });
  return { ...spec, ports };
}

/** Ports of the nodes: asked for from the range, or the first that is free. */
function withPorts(draft: KubeObject, spec: Obj, context: RuleContext): Obj {
  const wanted = outside(spec) && spec.allocateLoadBalancerNodePorts !== false;
  if (!wanted && !needsHealthCheck(spec)) return spec;
  if (serviceErrors({ ...draft, spec }).length > 0) return spec;
  const taken = takenPorts(draft, context);
  const give = (asked: unknown, field: string): number => {
    if (typeof asked === 'number' && asked !== 0) return checked(asked, field, taken, draft);
    let port: number = NODE_PORTS.least;
    while (taken.has(port)) port += 1;
    taken.add(port);
    return port;
  };
  const ports = wanted
    ? listOf(spec.ports)
        .map(objOf)
        .map((port, index) => ({ ...port, nodePort: give(port.nodePort, `spec.ports[${index}].nodePort`) }))
    : spec.ports;
  const health = needsHealthCheck(spec)
    ? { healthCheckNodePort: give(spec.healthCheckNodePort, 'spec.healthCheckNodePort') }
    : {};
  return { ...spec, ports, ...health };
}

function takenPorts(draft: KubeObject, context: RuleContext): Set<number> {
  const { name, namespace } = draft.metadata;
  const others = context
    .list('services')
    .filter(({ metadata }) => metadata.name !== name || metadata.namespace !== namespace);
  const numbers = others.flatMap(({ spec }) => [
    objOf(spec).healthCheckNodePort,
    ...listOf(objOf(spec).ports).map((port) => objOf(port).nodePort),
  ]);
  return new Set(numbers.filter((number) => typeof number === 'number'));
}

function checked(port: number, field: string, taken: Set<number>, draft: KubeObject): number {
  const { least, most } = NODE_PORTS;
  const range = `provided port is not in the valid range. The range of valid ports is ${least}-${most}`;
  const fault =
    port < least || port > most ? range : taken.has(port) ? 'provided port is already allocated' : undefined;
  if (fault) throw invalid('', 'Service', draft.metadata.name, [invalidValue(field, port, fault)]);
  taken.add(port);
  return port;
}

export const endpointsRules: KindRules = {
  createOnUpdate: true,
  deprecated: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  defaults(draft) {
    if (!Array.isArray(draft.subsets)) return;
    draft.subsets = draft.subsets.map((item) => {
      const subset = objOf(item);
      if (!isObj(item) || !Array.isArray(subset.ports)) return item;
      return { ...subset, ports: subset.ports.map((port) => ({ protocol: 'TCP', ...objOf(port) })) };
    });
  },
  validate: (endpoints) => subsetErrors(endpoints.subsets, 'subsets'),
};
