import { isObj, listOf, type Obj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import {
  duplicateValue,
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
} from '../../status.js';
import { PROTOCOLS } from './containers.js';
import { each, faultsAt, ifSaid, labelsErrors, oneOf } from './fields.js';
import { portOrNameErrors } from './handlers.js';
import {
  cidrFaults,
  dnsLabelFaults,
  ipFaults,
  labelKeyFaults,
  portFaults,
  reachableFaults,
  subdomainFaults,
} from './texts.js';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const POLICIES = ['Cluster', 'Local'];
const FAMILIES = ['IPv4', 'IPv6'];
const FAMILY_POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const ONLY_BALANCER = "may only be used when `type` is 'LoadBalancer'";

function isHeadless(spec: Obj): boolean {
  const addresses = listOf(spec.clusterIPs);
  return addresses.length === 1 && addresses[0] === 'None';
}

/** `validateService` of `pkg/apis/core/validation`. */
export function serviceErrors(service: KubeObject): FieldError[] {
  const spec = objOf(service.spec);
  const { sessionAffinity, externalIPs } = spec;
  return [
    ...typeErrors(spec),
    ...portsErrors(spec),
    ...labelsErrors(spec.selector, 'spec.selector'),
    ...oneOf(sessionAffinity, ['ClientIP', 'None'], 'spec.sessionAffinity'),
    ...affinityErrors(spec),
    ...(spec.type === 'ExternalName' ? [] : addressErrors(spec)),
    ...listOf(externalIPs).flatMap((ip, index) => externalErrors(textOf(ip), `spec.externalIPs[${index}]`)),
    ...oneOf(spec.type, TYPES, 'spec.type'),
    ...portUseErrors(spec),
    ...rangeErrors(service, spec),
    ...balancerErrors(spec),
    ...trafficErrors(spec),
  ];
}

function typeErrors(spec: Obj): FieldError[] {
  const headless = isHeadless(spec);
  const errors: FieldError[] = [];
  const named = spec.type === 'ExternalName';
  if (listOf(spec.ports).length === 0 && !headless && !named) errors.push(requiredValue('spec.ports'));
  if ((spec.type === 'LoadBalancer' || spec.type === 'NodePort') && headless) {
    const detail = `may not be set to 'None' for ${spec.type} services`;
    errors.push(invalidValue('spec.clusterIPs[0]', 'None', detail));
  }
  if (!named) return errors;
  const detail = 'may not be set for ExternalName services';
  for (const field of ['clusterIPs', 'ipFamilies']) {
    if (listOf(spec[field]).length > 0) errors.push(forbiddenValue(`spec.${field}`, detail));
  }
  if (spec.ipFamilyPolicy !== undefined) errors.push(forbiddenValue('spec.ipFamilyPolicy', detail));
  const name = textOf(spec.externalName).replace(/\.$/, '');
  return name === ''
    ? [...errors, requiredValue('spec.externalName')]
    : [...errors, ...faultsAt('spec.externalName', name, subdomainFaults(name))];
}

function portsErrors(spec: Obj): FieldError[] {
  const names = new Set<string>();
  const many = listOf(spec.ports).length > 1;
  return each(spec.ports, 'spec.ports', (port, place) => {
    const errors = portNameErrors(port, place, many);
    const name = textOf(port.name);
    if (name !== '') {
      if (names.has(name)) errors.push(duplicateValue(`${place}.name`, name));
      names.add(name);
    }
    const number = Number(port.port ?? 0);
    errors.push(...faultsAt(`${place}.port`, number, portFaults(number)));
    errors.push(...oneOf(port.protocol, PROTOCOLS, `${place}.protocol`));
    errors.push(...portOrNameErrors(port.targetPort, `${place}.targetPort`));
    return [...errors, ...protocolErrors(port.appProtocol, place)];
  });
}

function portNameErrors(port: Obj, place: string, required: boolean): FieldError[] {
  const name = textOf(port.name);
  if (name === '') return required ? [requiredValue(`${place}.name`)] : [];
  return faultsAt(`${place}.name`, name, dnsLabelFaults(name));
}

function protocolErrors(protocol: unknown, place: string): FieldError[] {
  if (protocol === undefined) return [];
  return faultsAt(`${place}.appProtocol`, protocol, labelKeyFaults(textOf(protocol)));
}

function affinityErrors(spec: Obj): FieldError[] {
  const field = 'spec.sessionAffinityConfig';
  const config = spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'None' && isObj(config)) {
    return [forbiddenValue(field, 'must not be set when session affinity is None')];
  }
  if (spec.sessionAffinity !== 'ClientIP') return [];
  const seconds = Number(objOf(objOf(config).clientIP).timeoutSeconds ?? 0);
  const detail = 'must be greater than 0 and less than 86400';
  return seconds > 0 && seconds <= 86400
    ? []
    : [invalidValue(`${field}.clientIP.timeoutSeconds`, seconds, detail)];
}

function addressErrors(spec: Obj): FieldError[] {
  const field = 'spec.clusterIPs';
  const addresses = listOf(spec.clusterIPs).map(textOf);
  const first = textOf(spec.clusterIP);
  const errors: FieldError[] = [];
  if (first !== '' && addresses.length > 0 && addresses[0] !== first) {
    errors.push(invalidValue(field, addresses, 'first value must match `clusterIP`'));
  }
  const families = listOf(spec.ipFamilies).map(textOf);
  families.forEach((family, index) => {
    errors.push(...ifSaid(family, FAMILIES, `spec.ipFamilies[${index}]`));
    if (families.indexOf(family) < index) errors.push(duplicateValue(`spec.ipFamilies[${index}]`, family));
  });
  errors.push(...ifSaid(spec.ipFamilyPolicy, FAMILY_POLICIES, 'spec.ipFamilyPolicy'));
  addresses.forEach((address, index) => {
    if (index === 0 && address === 'None') {
      const detail = "'None' must be the first and only value";
      if (addresses.length > 1) errors.push(invalidValue(field, addresses, detail));
    } else errors.push(...faultsAt(`${field}[${index}]`, address, ipFaults(address)));
  });
  if (addresses.length > 2) errors.push(invalidValue(field, addresses, 'may only hold up to 2 values'));
  return errors;
}

function externalErrors(address: string, field: string): FieldError[] {
  const faults = ipFaults(address);
  return faultsAt(field, address, faults.length > 0 ? faults : reachableFaults(address));
}

/** Ports of the nodes, and no port of the service twice. */
function portUseErrors(spec: Obj): FieldError[] {
  const ports = listOf(spec.ports).map(objOf);
  const detail = "may not be used when `type` is 'ClusterIP'";
  const unused = ports.flatMap(({ nodePort }, index) =>
    spec.type === 'ClusterIP' && nodePort ? [forbiddenValue(`spec.ports[${index}].nodePort`, detail)] : [],
  );
  const seen = new Set<string>();
  const again = (text: string): boolean => seen.size === seen.add(text).size;
  const nodes = ports.flatMap(({ nodePort, protocol }, index) =>
    nodePort && again(`node ${textOf(protocol)} ${String(nodePort)}`)
      ? [duplicateValue(`spec.ports[${index}].nodePort`, nodePort)]
      : [],
  );
  const own = ports.flatMap(({ port, protocol }, index) => {
    if (!again(`${textOf(protocol)} ${String(port)}`)) return [];
    // The key under which the server remembers it: protocol and port of an otherwise empty one.
    const shown = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    return [duplicateValue(`spec.ports[${index}]`, shown)];
  });
  return [...unused, ...nodes, ...own];
}

const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';

function rangeErrors(service: KubeObject, spec: Obj): FieldError[] {
  const listed = listOf(spec.loadBalancerSourceRanges).map((range) => textOf(range).trim());
  const noted = service.metadata.annotations?.[RANGES];
  const balancer = spec.type === 'LoadBalancer';
  if (listed.length > 0) {
    const field = 'spec.LoadBalancerSourceRanges';
    return [
      ...(balancer ? [] : [forbiddenValue(field, ONLY_BALANCER)]),
      ...listed.flatMap((range, index) => faultsAt(`${field}[${index}]`, range, cidrFaults(range))),
    ];
  }
  if (noted === undefined) return [];
  const field = `metadata.annotations[${RANGES}]`;
  const ranges = noted.trim() === '' ? [] : noted.split(',').map((range) => range.trim());
  return [
    ...(balancer ? [] : [forbiddenValue(field, ONLY_BALANCER)]),
    ...ranges.flatMap((range) => faultsAt(field, range, cidrFaults(range))),
  ];
}

function balancerErrors(spec: Obj): FieldError[] {
  const { allocateLoadBalancerNodePorts: allocate, loadBalancerClass } = spec;
  const errors: FieldError[] = [];
  if (spec.type !== 'LoadBalancer') {
    if (allocate !== undefined) {
      errors.push(forbiddenValue('spec.allocateLoadBalancerNodePorts', ONLY_BALANCER));
    }
    if (loadBalancerClass !== undefined) {
      errors.push(forbiddenValue('spec.loadBalancerClass', ONLY_BALANCER));
    }
    return errors;
  }
  const name = textOf(loadBalancerClass);
  return loadBalancerClass === undefined
    ? []
    : faultsAt('spec.loadBalancerClass', name, labelKeyFaults(name));
}

function trafficErrors(spec: Obj): FieldError[] {
  const { externalTrafficPolicy: policy, healthCheckNodePort: health, type } = spec;
  const outside = type === 'NodePort' || type === 'LoadBalancer';
  const reached = outside || (type === 'ClusterIP' && listOf(spec.externalIPs).length > 0);
  const errors: FieldError[] = [];
  const field = 'spec.externalTrafficPolicy';
  if (reached) errors.push(...oneOf(policy, POLICIES, field));
  else if (textOf(policy) !== '') {
    errors.push(invalidValue(field, policy, 'may only be set for externally-accessible services'));
  }
  const checks = type === 'LoadBalancer' && policy === 'Local';
  if (!checks && health) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalidValue('spec.healthCheckNodePort', health, detail));
  }
  const inner = spec.internalTrafficPolicy;
  if (inner === undefined && type !== 'ExternalName' && TYPES.includes(textOf(type))) {
    errors.push(requiredValue('spec.internalTrafficPolicy'));
  }
  errors.push(...ifSaid(inner, POLICIES, 'spec.internalTrafficPolicy'));
  return [...errors, ...ifSaid(spec.trafficDistribution, DISTRIBUTIONS, 'spec.trafficDistribution')];
}

/** `validateEndpointSubsets`. */
export function subsetErrors(subsets: unknown, field: string): FieldError[] {
  return each(subsets, field, (subset, place) => {
    const none = listOf(subset.addresses).length + listOf(subset.notReadyAddresses).length === 0;
    const many = listOf(subset.ports).length > 1;
    return [
      ...(none ? [requiredValue(place, 'must specify `addresses` or `notReadyAddresses`')] : []),
      ...['addresses', 'notReadyAddresses'].flatMap((part) =>
        each(subset[part], `${place}.${part}`, endpointErrors),
      ),
      ...each(subset.ports, `${place}.ports`, (port, at) => [
        ...portNameErrors(port, at, many),
        ...faultsAt(`${at}.port`, port.port ?? 0, portFaults(Number(port.port ?? 0))),
        ...oneOf(port.protocol, PROTOCOLS, `${at}.protocol`),
        ...protocolErrors(port.appProtocol, at),
      ]),
    ];
  });
}

function endpointErrors({ ip, hostname, nodeName }: Obj, place: string): FieldError[] {
  const [address, host, node] = [textOf(ip), textOf(hostname), textOf(nodeName)];
  const faults = ipFaults(address);
  const reach = faults.length > 0 ? faultsAt(`${place}.ip`, address, ['must be a valid IP address']) : [];
  return [
    ...faultsAt(`${place}.ip`, address, faults),
    ...(host === '' ? [] : faultsAt(`${place}.hostname`, host, dnsLabelFaults(host))),
    ...(node === '' ? [] : faultsAt(`${place}.nodeName`, node, subdomainFaults(node))),
    ...(faults.length > 0 ? reach : faultsAt(`${place}.ip`, address, reachableFaults(address))),
  ];
}
