import { isObj, listOf, type Obj, objOf, textOf } from '../../json.js';
import {
  duplicateValue,
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
} from '../../status.js';
import { containerErrors, hostPortErrors } from './containers.js';
import { each, faultsAt, ifSaid, labelsErrors, oneOf } from './fields.js';
import { PROBES, runningErrors } from './handlers.js';
import { volumeErrors } from './pod-volumes.js';
import { affinityErrors, spreadErrors, tolerationErrors } from './scheduling.js';
import { podSecurityErrors } from './security-context.js';
import {
  dnsLabelFaults,
  ipFaults,
  labelKeyFaults,
  looseSubdomainFaults,
  rangeFaults,
  subdomainFaults,
} from './texts.js';

const RESTARTS = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

interface PodSpecOptions {
  /** Volumes that come from elsewhere, as a stateful set's claims do. */
  readonly more?: readonly string[];
  /** A pod itself, not a template of pods. */
  readonly pod?: boolean;
}

/** `ValidatePodSpec` of `pkg/apis/core/validation`. */
export function podSpecErrors(
  spec: Obj,
  field: string,
  { more = [], pod = false }: PodSpecOptions = {},
): FieldError[] {
  const own = volumeErrors(listOf(spec.volumes), `${field}.volumes`);
  const claims = more.map((name): [string, Obj] => [name, { persistentVolumeClaim: {} }]);
  const volumes = new Map([...own.volumes, ...claims]);
  return [
    ...own.errors,
    ...allContainerErrors(spec, field, volumes),
    ...(spec.hostNetwork === true ? hostNetworkErrors(spec, field, pod) : []),
    ...oneOf(spec.restartPolicy, RESTARTS, `${field}.restartPolicy`),
    ...oneOf(spec.dnsPolicy, DNS_POLICIES, `${field}.dnsPolicy`),
    ...labelsErrors(spec.nodeSelector, `${field}.nodeSelector`),
    ...podSecurityErrors(spec.securityContext, `${field}.securityContext`),
    ...shareErrors(spec, field),
    ...affinityErrors(spec.affinity, `${field}.affinity`),
    ...dnsErrors(spec, `${field}.dnsConfig`),
    ...each(spec.readinessGates, `${field}.readinessGates`, ({ conditionType }, place) =>
      faultsAt(`${place}.conditionType`, conditionType ?? '', labelKeyFaults(textOf(conditionType))),
    ),
    ...gateErrors(spec, `${field}.schedulingGates`),
    ...spreadErrors(spec.topologySpreadConstraints, `${field}.topologySpreadConstraints`),
    ...nameErrors(spec, field),
    ...tolerationErrors(spec.tolerations, `${field}.tolerations`),
    ...each(spec.hostAliases, `${field}.hostAliases`, ({ ip, hostnames }, place) => [
      ...faultsAt(`${place}.ip`, ip ?? '', ipFaults(textOf(ip))),
      ...listOf(hostnames).flatMap((name, index) =>
        faultsAt(`${place}.hostnames[${index}]`, name, subdomainFaults(textOf(name))),
      ),
    ]),
    ...laterNameErrors(spec, field),
  ];
}

function allContainerErrors(spec: Obj, field: string, volumes: ReadonlyMap<string, Obj>): FieldError[] {
  const errors: FieldError[] = [];
  const grace = Number(spec.terminationGracePeriodSeconds ?? 30);
  const restart = textOf(spec.restartPolicy);
  const os = textOf(objOf(spec.os).name);
  const names = new Set<string>();
  if (listOf(spec.containers).length === 0) errors.push(requiredValue(`${field}.containers`));
  for (const group of ['containers', 'initContainers']) {
    const containers = listOf(spec[group]).map(objOf);
    containers.forEach((container, index) => {
      const place = `${field}.${group}[${index}]`;
      errors.push(...containerErrors(container, place, volumes, restart));
      const name = textOf(container.name);
      if (names.has(name)) errors.push(duplicateValue(`${place}.name`, name));
      else if (group === 'containers' || name !== '') names.add(name);
      const runs = group === 'containers' || container.restartPolicy === 'Always';
      errors.push(...(runs ? runningErrors(container, place, grace, os) : initErrors(container, place)));
      errors.push(
        ...ifSaid(container.restartPolicy, ['Always', 'Never', 'OnFailure'], `${place}.restartPolicy`),
      );
      if (group === 'initContainers') errors.push(...hostPortErrors([container], `${field}.${group}`));
    });
    if (group === 'containers') errors.push(...hostPortErrors(containers, `${field}.${group}`));
  }
  return errors;
}

/** What ends before the others begin has nothing to watch. */
function initErrors(container: Obj, place: string): FieldError[] {
  const detail = 'may not be set for init containers without restartPolicy=Always';
  return ['lifecycle', ...PROBES]
    .filter((name) => isObj(container[name]))
    .map((name) => forbiddenValue(`${place}.${name}`, detail));
}

function hostNetworkErrors(spec: Obj, field: string, pod: boolean): FieldError[] {
  return each(spec.containers, `${field}.containers`, ({ ports }, place) =>
    each(ports, `${place}.ports`, ({ hostPort, containerPort }, at) => {
      const detail = 'must match `containerPort` when `hostNetwork` is true';
      const host = Number(hostPort ?? 0);
      const asked = pod || host !== 0;
      return asked && host !== containerPort ? [invalidValue(`${at}.hostPort`, host, detail)] : [];
    }),
  );
}

function shareErrors(spec: Obj, field: string): FieldError[] {
  const both = spec.shareProcessNamespace === true && spec.hostPID === true;
  const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
  return both ? [invalidValue(`${field}.shareProcessNamespace`, true, detail)] : [];
}

function dnsErrors(spec: Obj, field: string): FieldError[] {
  const config = objOf(spec.dnsConfig);
  const servers = listOf(config.nameservers);
  const searches = listOf(config.searches).map(textOf);
  if (spec.dnsPolicy === 'None') {
    const none = 'must provide `dnsConfig` when `dnsPolicy` is None';
    if (!isObj(spec.dnsConfig)) return [requiredValue(field, none)];
    const few = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    if (servers.length === 0) return [requiredValue(`${field}.nameservers`, few)];
  }
  const errors: FieldError[] = [];
  const many = 'must not have more than 3 nameservers';
  if (servers.length > 3) errors.push(invalidValue(`${field}.nameservers`, servers, many));
  servers.forEach((server, index) => {
    errors.push(...faultsAt(`${field}.nameservers[${index}]`, server, ipFaults(textOf(server))));
  });
  const place = `${field}.searches`;
  if (searches.length > 32) {
    errors.push(invalidValue(place, searches, 'must not have more than 32 search paths'));
  }
  if (searches.join(' ').length > 2048) {
    const detail = 'must not have more than 2048 characters (including spaces) in the search list';
    errors.push(invalidValue(place, searches, detail));
  }
  searches.forEach((search, index) => {
    const name = search.replace(/\.$/, '');
    if (search !== '.') errors.push(...faultsAt(`${place}[${index}]`, name, looseSubdomainFaults(name)));
  });
  return [
    ...errors,
    ...each(config.options, `${field}.options`, ({ name }, at) =>
      textOf(name) === '' ? [requiredValue(at, 'must not be empty')] : [],
    ),
  ];
}

function gateErrors(spec: Obj, field: string): FieldError[] {
  const seen = new Set<string>();
  return each(spec.schedulingGates, field, ({ name }, place) => {
    const text = textOf(name);
    const errors = faultsAt(place, text, labelKeyFaults(text));
    if (seen.has(text)) errors.push(duplicateValue(place, text));
    seen.add(text);
    return errors;
  });
}

function namedBy(spec: Obj, name: string, field: string, faults: (text: string) => string[]): FieldError[] {
  const text = textOf(spec[name]);
  return text === '' ? [] : faultsAt(`${field}.${name}`, text, faults(text));
}

function nameErrors(spec: Obj, field: string): FieldError[] {
  const deadline = spec.activeDeadlineSeconds;
  return [
    ...namedBy(spec, 'serviceAccountName', field, subdomainFaults),
    ...namedBy(spec, 'nodeName', field, subdomainFaults),
    ...(typeof deadline === 'number'
      ? faultsAt(`${field}.activeDeadlineSeconds`, deadline, rangeFaults(deadline, 1, 2_147_483_647))
      : []),
    ...namedBy(spec, 'hostname', field, dnsLabelFaults),
    ...namedBy(spec, 'subdomain', field, dnsLabelFaults),
  ];
}

function laterNameErrors(spec: Obj, field: string): FieldError[] {
  const preemptions = ['PreemptLowerPriority', 'Never'];
  return [
    ...namedBy(spec, 'priorityClassName', field, subdomainFaults),
    ...namedBy(spec, 'runtimeClassName', field, subdomainFaults),
    ...ifSaid(spec.preemptionPolicy, preemptions, `${field}.preemptionPolicy`),
    ...(isObj(spec.os) && textOf(spec.os.name) === '' ? [requiredValue(`${field}.os.name`)] : []),
    ...(isObj(spec.os) && textOf(spec.os.name) !== ''
      ? ifSaid(spec.os.name, ['linux', 'windows'], `${field}.os`)
      : []),
  ];
}
