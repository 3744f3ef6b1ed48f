import { isIP } from 'node:net';
import { at, list, record, string, strings } from '../config/config-document.js';
import { isPrefix, isSubnetOrAddress } from './go-values.js';

/** `machine.network.interfaces` of the v1alpha1 document. */
export function deviceProblems(devices: readonly unknown[]): { problems: string[]; warnings: string[] } {
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const device of devices) {
    if (at(device, 'ignore') === true) continue;
    const name = string(at(device, 'interface')) ?? '';
    problems.push(...nameProblems(device, name), ...addressProblems(device, name), ...routeProblems(device));
    if (at(device, 'cidr')) {
      warnings.push(
        `${JSON.stringify(name)}: machine.network.interface.cidr is deprecated, please use machine.network.interface.addresses`,
      );
    }
  }
  return { problems, warnings };
}

function nameProblems(device: unknown, name: string): string[] {
  const selector = at(device, 'deviceSelector');
  const both = '[networking.os.device.interface], [networking.os.device.deviceSelector]';
  const problems: string[] = [];
  if (name === '' && selector === undefined)
    problems.push(`${both}: required either config section to be set`);
  if (name !== '' && selector !== undefined) problems.push(`${both}: config sections are mutually exclusive`);
  if (selector !== undefined && Object.keys(record(selector)).length === 0) {
    problems.push('[networking.os.device.deviceSelector]: config section should contain at least one field');
  }
  for (const vlan of list(at(device, 'vlans'))) {
    for (const address of strings(at(vlan, 'addresses')).filter((text) => !isSubnetOrAddress(text))) {
      problems.push(
        `[networking.os.device.vlan.addresses] ${name}.${at(vlan, 'vlanId')}: ${notAnAddress(address)}`,
      );
    }
  }
  return problems;
}

function addressProblems(device: unknown, name: string): string[] {
  const vip = string(at(device, 'vip', 'ip'));
  return [
    ...strings(at(device, 'addresses'))
      .filter((address) => !isSubnetOrAddress(address))
      .map((address) => `[networking.os.device.addresses] ${JSON.stringify(name)}: ${notAnAddress(address)}`),
    ...(vip !== undefined && isIP(vip) === 0
      ? [`[networking.os.device.vip] failed to parse ${JSON.stringify(vip)} as IP address`]
      : []),
  ];
}

function notAnAddress(text: string): string {
  return text.includes('/')
    ? `invalid CIDR address: ${text}`
    : `failed to parse IP address ${JSON.stringify(text)}`;
}

function routeProblems(device: unknown): string[] {
  return list(at(device, 'routes')).flatMap((route, index) => {
    const place = `networking.os.device.route[${index}]`;
    const field = (key: string, valid: (text: string) => boolean) => {
      const text = string(at(route, key)) ?? '';
      return text === '' || valid(text)
        ? []
        : [`[${place}.${key}] ${JSON.stringify(text)}: invalid network address`];
    };
    const isAddress = (text: string) => isIP(text) !== 0;
    const neither = !at(route, 'network') && !at(route, 'gateway');
    return [
      ...field('network', isPrefix),
      ...field('gateway', isAddress),
      ...(neither ? [`[${place}]: either network or gateway should be set`] : []),
      ...field('source', isAddress),
    ];
  });
}
