import { isObj, listOf, type Obj, objOf, textOf } from '../../json.js';
import { duplicateValue, type FieldError, invalidValue, requiredValue } from '../../status.js';
import { descendingPathErrors, faultsAt, ifSaid, oneOf } from './fields.js';
import { idFaults } from './texts.js';

function idErrors(context: Obj, names: readonly string[], field: string): FieldError[] {
  return names.flatMap((name) => {
    const id = context[name];
    return typeof id === 'number' ? faultsAt(`${field}.${name}`, id, idFaults(id)) : [];
  });
}

function profileErrors(profile: unknown, field: string): FieldError[] {
  if (!isObj(profile)) return [];
  const { type, localhostProfile } = profile;
  const errors = oneOf(type, ['Localhost', 'RuntimeDefault', 'Unconfined'], `${field}.type`);
  const place = `${field}.localhostProfile`;
  if (type === 'Localhost') {
    const detail = 'must be set when seccomp type is Localhost';
    return localhostProfile === undefined
      ? [...errors, requiredValue(place, detail)]
      : [...errors, ...descendingPathErrors(textOf(localhostProfile), place)];
  }
  if (localhostProfile === undefined) return errors;
  const shown = { Type: type, LocalhostProfile: localhostProfile };
  return [...errors, invalidValue(place, shown, 'can only be set when seccomp type is Localhost')];
}

/** The context as Go shows it: every field, in the order of the type. */
function shownContext(context: Obj): Obj {
  const capabilities = isObj(context.capabilities)
    ? { Add: context.capabilities.add ?? null, Drop: context.capabilities.drop ?? null }
    : null;
  const names = [
    'privileged',
    'seLinuxOptions',
    'windowsOptions',
    'runAsUser',
    'runAsGroup',
    'runAsNonRoot',
    'readOnlyRootFilesystem',
    'allowPrivilegeEscalation',
    'procMount',
    'seccompProfile',
    'appArmorProfile',
  ];
  const capital = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`.replace(/^SeL/, 'SEL');
  const rest = names.map((name) => [capital(name), context[name] ?? null]);
  return { Capabilities: capabilities, ...Object.fromEntries(rest) };
}

/** `ValidateSecurityContext` of a container. */
export function securityContextErrors(given: unknown, field: string): FieldError[] {
  if (!isObj(given)) return [];
  const errors = idErrors(given, ['runAsUser', 'runAsGroup'], field);
  errors.push(...ifSaid(given.procMount, ['Default', 'Unmasked'], `${field}.procMount`));
  errors.push(...profileErrors(given.seccompProfile, `${field}.seccompProfile`));
  if (given.allowPrivilegeEscalation !== false) return errors;
  const start = 'cannot set `allowPrivilegeEscalation` to false and';
  if (given.privileged === true) {
    errors.push(invalidValue(field, shownContext(given), `${start} \`privileged\` to true`));
  }
  return errors;
}

const SYSCTL = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';

/** `validatePodSpecSecurityContext`. */
export function podSecurityErrors(given: unknown, field: string): FieldError[] {
  const context = objOf(given);
  const errors = idErrors(context, ['fsGroup', 'runAsUser', 'runAsGroup'], field);
  listOf(context.supplementalGroups).forEach((id, index) => {
    errors.push(...faultsAt(`${field}.supplementalGroups[${index}]`, id, idFaults(Number(id))));
  });
  const seen = new Set<string>();
  listOf(context.sysctls).forEach((item, index) => {
    const name = textOf(objOf(item).name);
    const place = `${field}.sysctls[${index}].name`;
    const detail = `must have at most 253 characters and match regex ${SYSCTL}`;
    if (name === '') errors.push(requiredValue(place));
    else if (name.length > 253 || !new RegExp(SYSCTL).test(name)) {
      errors.push(invalidValue(place, name, detail));
    } else if (seen.has(name)) errors.push(duplicateValue(place, name));
    seen.add(name);
  });
  const changes = ['Always', 'OnRootMismatch'];
  errors.push(...ifSaid(context.fsGroupChangePolicy, changes, `${field}.fsGroupChangePolicy`));
  errors.push(...profileErrors(context.seccompProfile, `${field}.seccompProfile`));
  const groups = ['Merge', 'Strict'];
  return [
    ...errors,
    ...ifSaid(context.supplementalGroupsPolicy, groups, `${field}.supplementalGroupsPolicy`),
  ];
}
