import { isIP } from 'node:net';
import { isObj, listOf, type Obj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import {
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../status.js';
import { each, faultsAt, ifSaid, oneOf, selectorErrors } from './fields.js';
import {
  cidrFaults,
  dnsLabelFaults,
  ipFaults,
  pathSegmentFaults,
  portFaults,
  portNameFaults,
  reachableFaults,
  subdomainFaults,
  wildcardSubdomainFaults,
} from './texts.js';

/** `ValidateNetworkPolicySpec`. */
export function networkPolicyErrors(policy: KubeObject): FieldError[] {
  const spec = objOf(policy.spec);
  const types = listOf(spec.policyTypes);
  const side = (name: string, peers: string) =>
    each(spec[name], `spec.${name}`, (rule, place) => [
      ...each(rule.ports, `${place}.ports`, policyPortErrors),
      ...each(rule[peers], `${place}.${peers}`, peerErrors),
    ]);
  const many = 'may not specify more than two policyTypes';
  return [
    ...selectorErrors(spec.podSelector, 'spec.podSelector'),
    ...side('ingress', 'from'),
    ...side('egress', 'to'),
    ...(types.length > 2
      ? [invalidValue('spec.policyTypes', types, many)]
      : types.flatMap((type, index) => ifSaid(type, ['Ingress', 'Egress'], `spec.policyTypes[${index}]`))),
  ];
}

function policyPortErrors({ protocol, port, endPort }: Obj, place: string): FieldError[] {
  const errors = ifSaid(protocol, ['TCP', 'UDP', 'SCTP'], `${place}.protocol`);
  const end = `${place}.endPort`;
  if (port === undefined) {
    const detail = 'may not be specified when `port` is not specified';
    return endPort === undefined ? errors : [...errors, invalidValue(end, endPort, detail)];
  }
  if (typeof port === 'string') {
    const detail = 'may not be specified when `port` is non-numeric';
    if (endPort !== undefined) errors.push(invalidValue(end, endPort, detail));
    return [...errors, ...faultsAt(`${place}.port`, port, portNameFaults(port))];
  }
  errors.push(...faultsAt(`${place}.port`, port, portFaults(Number(port))));
  if (typeof endPort !== 'number') return errors;
  if (endPort < Number(port)) {
    errors.push(invalidValue(end, endPort, 'must be greater than or equal to `port`'));
  }
  return [...errors, ...faultsAt(end, endPort, portFaults(endPort))];
}

function peerErrors(peer: Obj, place: string): FieldError[] {
  const given = ['podSelector', 'namespaceSelector', 'ipBlock'].filter((kind) => isObj(peer[kind]));
  const errors = [
    ...selectorErrors(peer.podSelector, `${place}.podSelector`),
    ...selectorErrors(peer.namespaceSelector, `${place}.namespaceSelector`),
    ...(isObj(peer.ipBlock) ? blockErrors(peer.ipBlock, `${place}.ipBlock`) : []),
  ];
  if (given.length === 0) return [...errors, requiredValue(place, 'must specify a peer')];
  const mixed = given.length > 1 && isObj(peer.ipBlock);
  return mixed ? [...errors, forbiddenValue(place, 'may not specify both ipBlock and another peer')] : errors;
}

function blockErrors({ cidr, except }: Obj, place: string): FieldError[] {
  const range = textOf(cidr);
  if (range === '') return [];
  const errors = faultsAt(`${place}.cidr`, range, cidrFaults(range));
  if (rangeOf(range) === undefined) return errors;
  listOf(except).forEach((item, index) => {
    const part = textOf(item);
    const field = `${place}.except[${index}]`;
    errors.push(...faultsAt(field, part, cidrFaults(part)));
    if (rangeOf(part) !== undefined && !isWithin(part, range)) {
      errors.push(invalidValue(field, part, 'must be a strict subset of `cidr`'));
    }
  });
  return errors;
}

function rangeOf(cidr: string): { first: number; bits: number } | undefined {
  const [address = '', bits = ''] = cidr.split('/');
  if (isIP(address) !== 4 || !/^\d+$/.test(bits)) return undefined;
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(bits));
  return { first: Math.floor(number / size) * size, bits: Number(bits) };
}

function isWithin(part: string, whole: string): boolean {
  const [inner, outer] = [rangeOf(part), rangeOf(whole)];
  if (!inner || !outer || inner.bits <= outer.bits) return false;
  return inner.first >= outer.first && inner.first < outer.first + 2 ** (32 - outer.bits);
}

/** `ValidateIngressSpec`. */
export function ingressErrors(ingress: KubeObject): FieldError[] {
  const spec = objOf(ingress.spec);
  const rules = listOf(spec.rules);
  const name = textOf(spec.ingressClassName);
  const none = 'either `defaultBackend` or `rules` must be specified';
  return [
    ...(rules.length === 0 && !isObj(spec.defaultBackend) ? [invalidValue('spec', spec.rules, none)] : []),
    ...(isObj(spec.defaultBackend) ? backendErrors(spec.defaultBackend, 'spec.defaultBackend') : []),
    ...each(rules, 'spec.rules', (rule, place) => [
      ...hostErrors(textOf(rule.host), `${place}.host`),
      ...(isObj(rule.http) ? httpErrors(rule.http, `${place}.http`) : []),
    ]),
    ...each(spec.tls, 'spec.tls', ({ hosts, secretName }, place) => [
      ...listOf(hosts).flatMap((host, index) => nameErrors(textOf(host), `${place}.hosts[${index}]`)),
      ...(textOf(secretName) === ''
        ? []
        : faultsAt(`${place}.secretName`, secretName, subdomainFaults(textOf(secretName)))),
    ]),
    ...(name === '' ? [] : faultsAt('spec.ingressClassName', name, subdomainFaults(name))),
  ];
}

function nameErrors(host: string, field: string): FieldError[] {
  return faultsAt(field, host, host.includes('*') ? wildcardSubdomainFaults(host) : subdomainFaults(host));
}

function hostErrors(host: string, field: string): FieldError[] {
  if (host === '') return [];
  const address = isIP(host) !== 0;
  return [
    ...(address ? [invalidValue(field, host, 'must be a DNS name, not an IP address')] : []),
    ...nameErrors(host, field),
  ];
}

function httpErrors(http: Obj, field: string): FieldError[] {
  if (listOf(http.paths).length === 0) return [requiredValue(`${field}.paths`)];
  return each(http.paths, `${field}.paths`, (item, place) => {
    if (item.pathType === undefined || item.pathType === null) {
      return [requiredValue(`${place}.pathType`, 'pathType must be specified')];
    }
    return [...pathErrors(item, place), ...backendErrors(objOf(item.backend), `${place}.backend`)];
  });
}

const SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const ENDS = ['/..', '/.'];

function pathErrors({ path, pathType }: Obj, place: string): FieldError[] {
  const text = textOf(path);
  const field = `${place}.path`;
  const absolute = text.startsWith('/') ? [] : [invalidValue(field, text, 'must be an absolute path')];
  if (pathType === 'ImplementationSpecific') return text === '' ? [] : absolute;
  if (pathType !== 'Exact' && pathType !== 'Prefix') {
    const words = ['Exact', 'ImplementationSpecific', 'Prefix'];
    return [unsupportedValue(`${place}.pathType`, pathType, words)];
  }
  return [
    ...absolute,
    ...SEQUENCES.filter((part) => text.includes(part)).map((part) =>
      invalidValue(field, text, `must not contain '${part}'`),
    ),
    ...ENDS.filter((part) => text.endsWith(part)).map((part) =>
      invalidValue(field, text, `cannot end with '${part}'`),
    ),
  ];
}

function backendErrors(backend: Obj, field: string): FieldError[] {
  const { resource, service } = backend;
  if (isObj(resource) && isObj(service)) {
    return [invalidValue(field, '', 'cannot set both resource and service backends')];
  }
  if (isObj(resource)) {
    return ['kind', 'name']
      .filter((part) => textOf(resource[part]) === '')
      .map((part) => requiredValue(`${field}.resource.${part}`));
  }
  if (!isObj(service)) return [invalidValue(field, '', 'resource or service backend is required')];
  const name = textOf(service.name);
  const errors =
    name === ''
      ? [requiredValue(`${field}.service.name`)]
      : faultsAt(`${field}.service.name`, name, dnsLabelFaults(name));
  const port = objOf(service.port);
  const [portName, number] = [textOf(port.name), Number(port.number ?? 0)];
  const place = `${field}.service.port`;
  if (portName !== '' && number !== 0) {
    return [...errors, invalidValue(field, '', 'cannot set both port name & port number')];
  }
  if (portName !== '') return [...errors, ...faultsAt(`${place}.name`, portName, portNameFaults(portName))];
  return number === 0
    ? [...errors, requiredValue(field, 'port name or number is required')]
    : [...errors, ...faultsAt(`${place}.number`, number, portFaults(number))];
}

/** `validation.IsDomainPrefixedPath` of the controller. */
export function ingressClassErrors({ spec }: KubeObject): FieldError[] {
  const { controller, parameters } = objOf(spec);
  return [
    ...controllerErrors(textOf(controller)),
    ...(isObj(parameters) ? parametersErrors(parameters, 'spec.parameters') : []),
  ];
}

function parametersErrors(parameters: Obj, field: string): FieldError[] {
  const { apiGroup, scope, namespace } = parameters;
  const named = ['kind', 'name'].flatMap((part) => {
    const text = textOf(parameters[part]);
    return text === ''
      ? [requiredValue(`${field}.${part}`)]
      : faultsAt(`${field}.${part}`, text, pathSegmentFaults(text));
  });
  const group = apiGroup === undefined ? [] : subdomainFaults(textOf(apiGroup));
  const errors = [...faultsAt(`${field}.apiGroup`, apiGroup, group), ...named];
  const place = `${field}.namespace`;
  if (scope !== 'Cluster' && scope !== 'Namespace') {
    return [...errors, ...ifSaid(scope ?? '', ['Cluster', 'Namespace'], `${field}.scope`)];
  }
  if (scope === 'Cluster') {
    const detail = "`parameters.scope` is set to 'Cluster'";
    return namespace === undefined ? errors : [...errors, forbiddenValue(place, detail)];
  }
  if (namespace === undefined) {
    return [...errors, requiredValue(place, "`parameters.scope` is set to 'Namespace'")];
  }
  return [...errors, ...faultsAt(place, namespace, dnsLabelFaults(textOf(namespace)))];
}

function controllerErrors(controller: string): FieldError[] {
  const field = 'spec.controller';
  if (controller === '') return [requiredValue(field)];
  const cut = controller.indexOf('/');
  const [host, path] = [controller.slice(0, cut), controller.slice(cut + 1)];
  const detail = 'must be a domain-prefixed path (such as "acme.io/foo")';
  if (cut <= 0 || path === '') return [invalidValue(field, controller, detail)];
  const pattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
  const odd = `Invalid path (regex used for validation is '${pattern}')`;
  return [
    ...faultsAt(field, host, subdomainFaults(host)),
    ...(/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path) ? [] : [invalidValue(field, path, odd)]),
  ];
}

/** `ValidateEndpointSlice`. */
export function endpointSliceErrors(slice: KubeObject): FieldError[] {
  const type = textOf(slice.addressType);
  const names = new Set<string>();
  return [
    ...each(slice.ports, 'ports', ({ name, protocol }, place) => {
      const text = textOf(name);
      const errors = text === '' ? [] : faultsAt(`${place}.name`, text, dnsLabelFaults(text));
      if (names.has(text)) {
        errors.push({ field: `${place}.name`, type: 'Duplicate', detail: `Duplicate value: "${text}"` });
      }
      names.add(text);
      return [...errors, ...ifSaid(protocol, ['SCTP', 'TCP', 'UDP'], `${place}.protocol`)];
    }),
    ...each(slice.endpoints, 'endpoints', ({ addresses, hostname }, place) => [
      ...listOf(addresses).flatMap((item, index) =>
        addressErrors(textOf(item), type, `${place}.addresses`, index),
      ),
      ...(hostname === undefined
        ? []
        : faultsAt(`${place}.hostname`, hostname, dnsLabelFaults(textOf(hostname)))),
    ]),
    ...oneOf(type, ['FQDN', 'IPv4', 'IPv6'], 'addressType'),
  ];
}

function addressErrors(address: string, type: string, field: string, index: number): FieldError[] {
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const place = `${field}[${index}]`;
  const faults = ipFaults(address);
  if (faults.length > 0) return faultsAt(place, address, faults);
  const family = isIP(address) === 4 ? 'IPv4' : 'IPv6';
  return [
    ...(family === type ? [] : [invalidValue(field, address, `must be an ${type} address`)]),
    ...faultsAt(place, address, reachableFaults(address)),
  ];
}
