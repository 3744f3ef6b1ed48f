import { ownValue } from '../../../formats/text/mapping.js';
import { at, isObj, listOf, type Obj, objOf, textOf } from '../json.js';
import {
  type Check,
  capabilities,
  contextOf,
  hasOwnUsers,
  nameOf,
  plural,
  quoted,
  type Subject,
  setters,
  sorted,
  theseContainers,
  type Violation,
} from './pod-subject.js';

const CAPABILITIES = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
);

/** Since which version a kernel parameter counts as safe. */
const SYSCTLS: Record<string, number> = {
  'kernel.shm_rmid_forced': 0,
  'net.ipv4.ip_local_port_range': 0,
  'net.ipv4.tcp_syncookies': 0,
  'net.ipv4.ping_group_range': 0,
  'net.ipv4.ip_unprivileged_port_start': 0,
  'net.ipv4.ip_local_reserved_ports': 27,
  'net.ipv4.tcp_keepalive_time': 29,
  'net.ipv4.tcp_fin_timeout': 29,
  'net.ipv4.tcp_keepalive_intvl': 29,
  'net.ipv4.tcp_keepalive_probes': 29,
  'net.ipv4.tcp_rmem': 32,
  'net.ipv4.tcp_wmem': 32,
  'net.ipv4.tcp_slow_start_after_idle': 37,
  'net.ipv4.tcp_notsent_lowat': 37,
};

const SELINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
const profileType = (context: Obj, field: string) => {
  const profile = context[field];
  return isObj(profile) ? textOf(profile.type) : undefined;
};
const isBadProfile = (context: Obj, field: string) => {
  const type = profileType(context, field);
  return type !== undefined && type !== 'RuntimeDefault' && type !== 'Localhost';
};
const profileTypes = ({ spec, containers }: Subject, field: string) =>
  sorted(
    [spec, ...containers]
      .map(contextOf)
      .filter((context) => isBadProfile(context, field))
      .map((context) => profileType(context, field) ?? ''),
  );

function appArmor(subject: Subject): Violation | undefined {
  const annotations = Object.entries(subject.annotations)
    .filter(([key]) => key.startsWith('container.apparmor.security.beta.kubernetes.io/'))
    .filter(([, value]) => value !== '' && value !== 'runtime/default' && !value.startsWith('localhost/'))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const set = setters(subject, (context) => isBadProfile(context, 'appArmorProfile'));
  const who = [set, annotations.length > 0 ? plural('annotation', annotations.length) : ''].filter(Boolean);
  if (who.length === 0) return undefined;
  const values = [...profileTypes(subject, 'appArmorProfile'), ...annotations];
  return {
    reason: plural('forbidden AppArmor profile', values.length),
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

function seLinux(subject: Subject): Violation | undefined {
  const allowed = subject.minor >= 31 ? [...SELINUX_TYPES, 'container_engine_t'] : SELINUX_TYPES;
  const options = [subject.spec, ...subject.containers].map((of) => objOf(contextOf(of).seLinuxOptions));
  const isBad = (given: Obj) =>
    !allowed.includes(textOf(given.type)) || textOf(given.user) !== '' || textOf(given.role) !== '';
  const who = setters(subject, (context) => isBad(objOf(context.seLinuxOptions)));
  if (who === '') return undefined;
  const types = sorted(options.map((given) => textOf(given.type)).filter((type) => !allowed.includes(type)));
  const data = types.length > 0 ? [`${plural('type', types.length)} ${quoted(types)}`] : [];
  if (options.some((given) => textOf(given.user) !== '')) data.push('user may not be set');
  if (options.some((given) => textOf(given.role) !== '')) data.push('role may not be set');
  const detail = `${who} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`;
  return { reason: 'seLinuxOptions', detail };
}

export function seccomp(subject: Subject): Violation | undefined {
  const who = setters(subject, (context) => isBadProfile(context, 'seccompProfile'));
  if (who === '') return undefined;
  const types = quoted(profileTypes(subject, 'seccompProfile'));
  return {
    reason: 'seccompProfile',
    detail: `${who} must not set securityContext.seccompProfile.type to ${types}`,
  };
}

export function procMount({ containers }: Subject): Violation | undefined {
  const mount = (container: Obj) => textOf(contextOf(container).procMount);
  const bad = containers.filter((container) => !['', 'Default'].includes(mount(container)));
  if (bad.length === 0) return undefined;
  const types = quoted(sorted(bad.map(mount)));
  return {
    reason: 'procMount',
    detail: `${theseContainers(bad)} must not set securityContext.procMount to ${types}`,
  };
}

function probeHosts(container: Obj): string[] {
  const handlers = [
    container.livenessProbe,
    container.readinessProbe,
    container.startupProbe,
    at(container, 'lifecycle', 'postStart'),
    at(container, 'lifecycle', 'preStop'),
  ];
  return handlers
    .flatMap((handler) => [at(handler, 'httpGet', 'host'), at(handler, 'tcpSocket', 'host')])
    .map(textOf)
    .filter(Boolean);
}

export const BASELINE: readonly Check[] = [
  { id: 'appArmorProfile', find: appArmor },
  {
    id: 'capabilities_baseline',
    find({ containers }) {
      const extra = (container: Obj) =>
        capabilities(container, 'add').filter((name) => !CAPABILITIES.has(name));
      const bad = containers.filter((container) => extra(container).length > 0);
      if (bad.length === 0) return undefined;
      const names = quoted(sorted(bad.flatMap(extra)));
      const detail = `${theseContainers(bad)} must not include ${names} in securityContext.capabilities.add`;
      return { reason: 'non-default capabilities', detail };
    },
  },
  {
    id: 'hostNamespaces',
    find({ spec }) {
      const used = ['hostNetwork', 'hostPID', 'hostIPC'].filter((name) => spec[name] === true);
      if (used.length === 0) return undefined;
      return { reason: 'host namespaces', detail: used.map((name) => `${name}=true`).join(', ') };
    },
  },
  {
    id: 'hostPathVolumes',
    find({ spec }) {
      const bad = listOf(spec.volumes)
        .map(objOf)
        .filter((volume) => isObj(volume.hostPath))
        .map(nameOf);
      if (bad.length === 0) return undefined;
      return { reason: 'hostPath volumes', detail: `${plural('volume', bad.length)} ${quoted(bad)}` };
    },
  },
  {
    id: 'hostPorts',
    find({ containers }) {
      const portsOf = (container: Obj) =>
        listOf(container.ports)
          .map((port) => objOf(port).hostPort)
          .filter((port) => typeof port === 'number' && port !== 0)
          .map(String);
      const bad = containers.filter((container) => portsOf(container).length > 0);
      if (bad.length === 0) return undefined;
      const ports = sorted(bad.flatMap(portsOf));
      const use = bad.length === 1 ? 'uses' : 'use';
      return {
        reason: 'hostPort',
        detail: `${theseContainers(bad)} ${use} ${plural('hostPort', ports.length)} ${ports.join(', ')}`,
      };
    },
  },
  {
    id: 'hostProbesAndHostLifecycle',
    since: 34,
    find({ containers }) {
      const bad = containers.filter((container) => probeHosts(container).length > 0);
      if (bad.length === 0) return undefined;
      const hosts = sorted(bad.flatMap(probeHosts));
      const names = quoted(sorted(bad.map(nameOf)));
      const use = bad.length === 1 ? 'uses' : 'use';
      const what = plural('probe or lifecycle host', hosts.length);
      const detail = `${plural('container', bad.length)} ${names} ${use} ${what} ${quoted(hosts)}`;
      return { reason: 'probe or lifecycle host', detail };
    },
  },
  {
    id: 'privileged',
    find({ containers }) {
      const bad = containers.filter((container) => contextOf(container).privileged === true);
      if (bad.length === 0) return undefined;
      return {
        reason: 'privileged',
        detail: `${theseContainers(bad)} must not set securityContext.privileged=true`,
      };
    },
  },
  { id: 'procMount', find: (subject) => (hasOwnUsers(subject) ? undefined : procMount(subject)) },
  { id: 'seLinuxOptions', find: seLinux },
  { id: 'seccompProfile_baseline', since: 19, find: seccomp },
  {
    id: 'sysctls',
    find({ spec, minor }) {
      const names = listOf(contextOf(spec).sysctls).map((sysctl) => textOf(objOf(sysctl).name));
      const bad = names.filter((name) => (ownValue(SYSCTLS, name) ?? Number.POSITIVE_INFINITY) > minor);
      return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
    },
  },
  {
    id: 'windowsHostProcess',
    find(subject) {
      const who = setters(subject, (context) => at(context, 'windowsOptions', 'hostProcess') === true);
      if (who === '') return undefined;
      return {
        reason: 'hostProcess',
        detail: `${who} must not set securityContext.windowsOptions.hostProcess=true`,
      };
    },
  },
];
