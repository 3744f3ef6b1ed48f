/** Names, label values and taints as Kubernetes has them, with Talos' complaints (pkg/machinery/labels). */

const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function labelProblems(labels: Readonly<Record<string, string>>): string[] {
  return sorted(labels).flatMap(([key, value]) => [...nameProblem(key), ...valueProblem(value)]);
}

export function annotationProblems(annotations: Readonly<Record<string, string>>): string[] {
  return sorted(annotations).flatMap(([key]) => nameProblem(key));
}

export function taintProblems(taints: Readonly<Record<string, string>>): string[] {
  return sorted(taints).flatMap(([key, taint]) => {
    const name = nameProblem(key);
    if (name.length > 0) return name;
    const colon = taint.indexOf(':');
    const effect = taint.slice(colon + 1);
    if (!EFFECTS.includes(effect)) return [`invalid taint effect: ${JSON.stringify(effect)}`];
    return colon < 0 ? [] : valueProblem(taint.slice(0, colon));
  });
}

function nameProblem(key: string): string[] {
  const quoted = JSON.stringify(key);
  const parts = key.split('/');
  if (parts.length > 2) return [`invalid format: too many slashes: ${quoted}`];
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined;
  const name = parts.at(-1) ?? '';
  if (prefix === '') return [`prefix cannot be empty: ${quoted}`];
  if (prefix !== undefined && !SUBDOMAIN.test(prefix)) {
    const inner = `domain doesn't match required format: ${JSON.stringify(prefix)}`;
    return [`prefix ${JSON.stringify(prefix)} is invalid: ${inner}`];
  }
  if (name === '') return [`name cannot be empty: ${quoted}`];
  if (name.length > 63) return [`name is too long: ${quoted} (limit is 63)`];
  return NAME.test(name) ? [] : [`name ${JSON.stringify(name)} is invalid`];
}

function valueProblem(value: string): string[] {
  if (value.length > 63) return [`label value length exceeds limit of 63: ${JSON.stringify(value)}`];
  return value === '' || NAME.test(value) ? [] : [`label value ${JSON.stringify(value)} is invalid`];
}

function sorted(map: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
}
