import { isObj, listOf, type Obj, objOf } from '../json.js';
import { procMount, seccomp } from './baseline-checks.js';
import {
  type Check,
  capabilities,
  contextOf,
  hasOwnUsers,
  isWindows,
  nameOf,
  plural,
  quoted,
  type Subject,
  setters,
  sorted,
  theseContainers,
} from './pod-subject.js';

const SAFE_VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** `runAsNonRoot` and the seccomp profile: what the pod sets holds for containers that set nothing. */
function unset(
  { spec, containers }: Subject,
  isSet: (context: Obj) => boolean,
  wanted: string,
  reason: string,
) {
  if (isSet(contextOf(spec))) return undefined;
  const bad = containers.filter((container) => !isSet(contextOf(container)));
  return bad.length === 0
    ? undefined
    : { reason, detail: `pod or ${theseContainers(bad)} must set securityContext.${wanted}` };
}

export const RESTRICTED: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    since: 8,
    find(subject) {
      if (isWindows(subject)) return undefined;
      const bad = subject.containers.filter((of) => contextOf(of).allowPrivilegeEscalation !== false);
      if (bad.length === 0) return undefined;
      const detail = `${theseContainers(bad)} must set securityContext.allowPrivilegeEscalation=false`;
      return { reason: 'allowPrivilegeEscalation != false', detail };
    },
  },
  {
    id: 'capabilities_restricted',
    since: 22,
    instead: ['capabilities_baseline'],
    find(subject) {
      if (isWindows(subject)) return undefined;
      const keeping = subject.containers.filter((of) => !capabilities(of, 'drop').includes('ALL'));
      const extra = (of: Obj) => capabilities(of, 'add').filter((name) => name !== 'NET_BIND_SERVICE');
      const adding = subject.containers.filter((of) => extra(of).length > 0);
      const details: string[] = [];
      if (keeping.length > 0)
        details.push(`${theseContainers(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
      if (adding.length > 0) {
        const names = quoted(sorted(adding.flatMap(extra)));
        details.push(
          `${theseContainers(adding)} must not include ${names} in securityContext.capabilities.add`,
        );
      }
      return details.length === 0
        ? undefined
        : { reason: 'unrestricted capabilities', detail: details.join('; ') };
    },
  },
  { id: 'procMount_restricted', since: 35, instead: ['procMount'], find: procMount },
  {
    id: 'restrictedVolumes',
    instead: ['hostPathVolumes'],
    find({ spec }) {
      const bad = listOf(spec.volumes)
        .map(objOf)
        .filter((volume) => !SAFE_VOLUMES.some((type) => isObj(volume[type])));
      if (bad.length === 0) return undefined;
      const types = sorted(
        bad.map((volume) => Object.keys(volume).find((key) => isObj(volume[key])) ?? 'unknown'),
      );
      const use = bad.length === 1 ? 'uses' : 'use';
      const volumes = `${plural('volume', bad.length)} ${quoted(bad.map(nameOf))}`;
      const detail = `${volumes} ${use} ${plural('restricted volume type', types.length)} ${quoted(types)}`;
      return { reason: 'restricted volume types', detail };
    },
  },
  {
    id: 'runAsNonRoot',
    find(subject) {
      if (hasOwnUsers(subject)) return undefined;
      const reason = 'runAsNonRoot != true';
      const who = setters(subject, (context) => context.runAsNonRoot === false);
      if (who !== '') return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
      return unset(subject, (context) => context.runAsNonRoot === true, 'runAsNonRoot=true', reason);
    },
  },
  {
    id: 'runAsUser',
    since: 23,
    find(subject) {
      if (hasOwnUsers(subject)) return undefined;
      const who = setters(subject, (context) => context.runAsUser === 0);
      return who === '' ? undefined : { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` };
    },
  },
  {
    id: 'seccompProfile_restricted',
    since: 19,
    instead: ['seccompProfile_baseline'],
    find(subject) {
      if (isWindows(subject)) return undefined;
      const isSet = (context: Obj) => isObj(context.seccompProfile);
      return (
        seccomp(subject) ??
        unset(subject, isSet, 'seccompProfile.type to "RuntimeDefault" or "Localhost"', 'seccompProfile')
      );
    },
  },
];
