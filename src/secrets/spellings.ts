/**
 * Files that hold the secrets of `talosctl gen secrets` in another spelling. The Terraform provider siderolabs/talos, whose
 * `machine_secrets` the Terraform module writes to `output/talos-machine-secrets.yaml`, has snake_case keys, `cert` for
 * `crt`, and `null` where there is no value. talhelper's talsecret.yaml is spelt as talosctl spells it.
 */
import { isMapping } from '../formats/text/mapping.js';
import { toBase64Pem } from './pem.js';

/** Wrappers of the provider's resource and of `terraform output -json`, around the secrets themselves. */
const WRAPPERS = ['machine_secrets', 'value'] as const;

/** The value as `talosctl gen secrets` would spell it; what is no such file stays as it is. */
export function inTalosctlSpelling(value: unknown): unknown {
  const bundle = unwrapped(value);
  return isMapping(bundle) ? respelt(bundle) : bundle;
}

function unwrapped(value: unknown): unknown {
  if (!isMapping(value) || Object.hasOwn(value, 'certs')) return value;
  for (const wrapper of WRAPPERS) {
    if (Object.hasOwn(value, wrapper)) return unwrapped(value[wrapper]);
  }
  return value;
}

function respelt(mapping: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(mapping)
      // Terraform writes what is not set as `null`, talosctl leaves it out.
      .filter(([, value]) => value !== null && value !== '')
      .map(([key, value]) => [spelling(key), isMapping(value) ? respelt(value) : inBase64(value)]),
  );
}

function spelling(key: string): string {
  const plain = key.replaceAll('_', '');
  return plain === 'cert' ? 'crt' : plain;
}

/** A PEM block as it is, such as a state file of an old provider has it. */
function inBase64(value: unknown): unknown {
  return typeof value === 'string' && value.startsWith('-----BEGIN ') ? toBase64Pem(value) : value;
}
