/** What the API server takes but warns of in pods and their templates (`pkg/api/pod/warnings.go`). */
import { ownValue } from '../../../../formats/text/mapping.js';
import { at, isObj, listOf, type Obj, objOf, textOf } from '../../json.js';
import { parseQuantity } from '../../schema/quantity.js';
import { labelValueFaults } from './texts.js';

const OLD_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region':
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone':
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type':
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

const items = (list: unknown): Obj[] => listOf(list).map(objOf);

/** `spec` of a pod, at `field`. */
export function podWarnings(spec: Obj, field: string): string[] {
  return [
    ...labelWarnings(spec, field),
    ...items(spec.volumes).flatMap(overlaps),
    ...twice(items(spec.hostAliases), 'ip', `${field}.hostAliases`),
    ...twice(items(spec.imagePullSecrets), 'name', `${field}.imagePullSecrets`),
    ...items(spec.imagePullSecrets).flatMap(({ name }, index) =>
      textOf(name) === '' ? [`${field}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...containersOf(spec, field).flatMap(([container, place]) => [
      ...['memory', 'ephemeral-storage'].flatMap((name) =>
        ['limits', 'requests'].flatMap((part) =>
          fractionWarning(at(container, 'resources', part, name), `${place}.resources.${part}[${name}]`),
        ),
      ),
      ...hiddenVariables(items(container.env), `${place}.env`),
    ]),
    ...portWarnings(containersOf(spec, field)),
    ...(Number(spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [
          `${field}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...['podAffinity', 'podAntiAffinity'].flatMap((kind) =>
      affinityWarnings(objOf(at(spec, 'affinity', kind)), `${field}.affinity.${kind}`),
    ),
  ];
}

function containersOf(spec: Obj, field: string): [Obj, string][] {
  return ['initContainers', 'containers'].flatMap((kind) =>
    items(spec[kind]).map((one, index): [Obj, string] => [one, `${field}.${kind}[${index}]`]),
  );
}

export function fractionWarning(value: unknown, field: string): string[] {
  const quantity = value === undefined ? undefined : parseQuantity(String(value));
  if (!quantity || quantity.nano % 1_000_000_000n === 0n) return [];
  return [`${field}: fractional byte value ${JSON.stringify(String(value))} is invalid, must be an integer`];
}

function twice(list: readonly Obj[], name: string, field: string): string[] {
  const seen = new Set<string>();
  return list.flatMap((item, index) => {
    const value = textOf(item[name]);
    if (seen.has(value)) return [`${field}[${index}].${name}: duplicate ${name} ${JSON.stringify(value)}`];
    seen.add(value);
    return [];
  });
}

const NO_SELECTOR = 'a null labelSelector results in matching no pod';

function labelWarnings(spec: Obj, field: string): string[] {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  const nodes = objOf(at(spec, 'affinity', 'nodeAffinity'));
  const place = `${field}.affinity.nodeAffinity`;
  return [
    ...Object.keys(objOf(spec.nodeSelector)).flatMap((key) =>
      ownValue(OLD_LABELS, key) ? [`${field}.nodeSelector[${key}]: ${ownValue(OLD_LABELS, key)}`] : [],
    ),
    ...items(at(nodes, required, 'nodeSelectorTerms')).flatMap((term, index) =>
      selectorTermWarnings(term, `${place}.${required}.nodeSelectorTerms[${index}]`, false),
    ),
    ...items(nodes[preferred]).flatMap((term, index) =>
      selectorTermWarnings(objOf(term.preference), `${place}.${preferred}[${index}].preference`, true),
    ),
    ...items(spec.topologySpreadConstraints).flatMap((constraint, index) => {
      const at = `${field}.topologySpreadConstraints[${index}]`;
      const old = ownValue(OLD_LABELS, textOf(constraint.topologyKey));
      return [
        ...(old ? [`${at}.topologyKey: ${textOf(constraint.topologyKey)} is ${old}`] : []),
        ...(isObj(constraint.labelSelector) ? [] : [`${at}.labelSelector: ${NO_SELECTOR}`]),
      ];
    }),
  ];
}

export function selectorTermWarnings(term: Obj, field: string, values: boolean): string[] {
  return items(term.matchExpressions).flatMap((expression, index) => {
    const place = `${field}.matchExpressions[${index}]`;
    const key = textOf(expression.key);
    return [
      ...(ownValue(OLD_LABELS, key) ? [`${place}.key: ${key} is ${ownValue(OLD_LABELS, key)}`] : []),
      ...(values ? listOf(expression.values) : []).flatMap((value, at) =>
        labelValueFaults(textOf(value)).map(
          (fault) => `${place}.values[${at}]: ${textOf(value)} is invalid, ${fault}`,
        ),
      ),
    ];
  });
}

function affinityWarnings(affinity: Obj, field: string): string[] {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  return [
    ...items(affinity[required]).flatMap((term, index) =>
      isObj(term.labelSelector) ? [] : [`${field}.${required}[${index}].labelSelector: ${NO_SELECTOR}`],
    ),
    ...items(affinity[preferred]).flatMap((term, index) =>
      isObj(at(term, 'podAffinityTerm', 'labelSelector'))
        ? []
        : [`${field}.${preferred}[${index}].podAffinityTerm.labelSelector: ${NO_SELECTOR}`],
    ),
  ];
}

/** A variable that is set again and does not build on the value before. */
function hiddenVariables(env: readonly Obj[], field: string): string[] {
  const seen = new Set<string>();
  return env.flatMap(({ name, value, valueFrom }, index) => {
    const own = textOf(name);
    const reference = `$(${own})`;
    const said = textOf(value);
    const hides = isObj(valueFrom) || said === reference || !said.includes(reference);
    if (!seen.has(own)) {
      seen.add(own);
      return [];
    }
    const what = `hides previous definition of ${JSON.stringify(own)}, which may be dropped when using apply`;
    return hides ? [`${field}[${index}]: ${what}`] : [];
  });
}

interface Port {
  readonly place: string;
  readonly key: string;
  readonly name: string;
  readonly host: string;
  readonly ip: string;
}

function portWarnings(containers: readonly [Obj, string][]): string[] {
  const ports = containers.flatMap(([container, field]) =>
    items(container.ports).map(
      (port, index): Port => ({
        place: `${field}.ports[${index}]`,
        key: `${String(port.containerPort)}/${textOf(port.protocol)}`,
        name: textOf(port.name),
        host: String(port.hostPort ?? 0),
        ip: textOf(port.hostIP),
      }),
    ),
  );
  const earlier = (index: number, same: (port: Port) => boolean) => ports.slice(0, index).filter(same);
  return [
    ...ports.flatMap((port, index) =>
      earlier(index, ({ key }) => key === port.key).flatMap((other) => portClash(port, other)),
    ),
    ...ports.flatMap((port, index) => {
      const [first] = port.name === '' ? [] : earlier(index, ({ name }) => name === port.name);
      if (!first) return [];
      const name = JSON.stringify(port.name);
      return [
        `${port.place}: duplicate port name ${name} with ${first.place}, services and probes that select ports by name will use ${first.place}`,
      ];
    }),
  ];
}

function portClash(port: Port, other: Port): string[] {
  if (port.ip === other.ip && port.host === other.host) {
    return [`${port.place}: duplicate port definition with ${other.place}`];
  }
  if (port.host === '0' || other.host === '0') {
    return [`${port.place}: overlapping port definition with ${other.place}`];
  }
  const unclear = port.host === other.host && (port.ip === '') !== (other.ip === '');
  return unclear ? [`${port.place}: dangerously ambiguous port definition with ${other.place}`] : [];
}

interface FilePath {
  readonly path: string;
  readonly source: string;
}

const pathText = ({ path, source }: FilePath) =>
  `${JSON.stringify(path)}${source === '' ? '' : ` (${source})`}`;
const pathsOf = (list: unknown, source: string): FilePath[] =>
  items(list).map(({ path }) => ({ path: textOf(path), source }));

/** Files of one volume that lie in each other's place. */
function overlaps(volume: Obj): string[] {
  const { configMap, secret, downwardAPI, projected } = volume;
  const say = (kind: string, paths: FilePath[]) =>
    clashes(paths).map(
      (text) => `volume ${JSON.stringify(textOf(volume.name))} (${kind}): overlapping paths: ${text}`,
    );
  if (isObj(configMap)) {
    return say(`ConfigMap ${JSON.stringify(textOf(configMap.name))}`, pathsOf(configMap.items, ''));
  }
  if (isObj(secret)) {
    return say(`Secret ${JSON.stringify(textOf(secret.secretName))}`, pathsOf(secret.items, ''));
  }
  if (isObj(downwardAPI)) return say('DownwardAPI', pathsOf(downwardAPI.items, ''));
  return isObj(projected) ? say('Projected', items(projected.sources).flatMap(projectedPaths)) : [];
}

function projectedPaths({ configMap, secret, downwardAPI, serviceAccountToken: token }: Obj): FilePath[] {
  if (isObj(configMap))
    return pathsOf(configMap.items, `ConfigMap ${JSON.stringify(textOf(configMap.name))}`);
  if (isObj(secret)) return pathsOf(secret.items, `Secret ${JSON.stringify(textOf(secret.name))}`);
  if (isObj(downwardAPI)) return pathsOf(downwardAPI.items, 'DownwardAPI');
  return isObj(token) ? [{ path: textOf(token.path), source: 'ServiceAccountToken' }] : [];
}

function clashes(given: readonly FilePath[]): string[] {
  const paths = given.map(({ path, source }) => ({ path: path.replace(/\/+$/, ''), source }));
  const within = (a: FilePath, b: FilePath) => `${a.path}/`.startsWith(`${b.path}/`);
  return paths.flatMap((path, index) =>
    paths
      .slice(0, index)
      .filter(
        (other) => path.path !== '' && other.path !== '' && (within(path, other) || within(other, path)),
      )
      .map((other) => `${pathText(path)} with ${pathText(other)}`),
  );
}
