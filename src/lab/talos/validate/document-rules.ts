import { addressProblem } from '../../../formats/talos/talos-scalars.js';
import { at, type ConfigDocument, list, string } from '../config/config-document.js';
import type { DocumentFindings, DocumentRule } from './document-rule.js';
import { isPrefix } from './go-values.js';
import { LINK_RULES } from './link-rules.js';
import { VOLUME_RULES } from './volume-rules.js';

/** The rules of single documents; kinds without a rule here have none that the schema does not state. */

const errors = (...problems: (string | false | undefined)[]): Partial<DocumentFindings> => ({
  errors: problems.filter((problem): problem is string => typeof problem === 'string'),
});

const RULES: Readonly<Record<string, DocumentRule>> = {
  ...LINK_RULES,
  ...VOLUME_RULES,
  HostnameConfig({ body }) {
    const auto = string(body.auto);
    const hostname = string(body.hostname) ?? '';
    const first = hostname.split('.')[0] ?? '';
    return errors(
      auto === undefined && hostname === '' && "either 'auto' or 'hostname' must be set",
      auto !== undefined &&
        auto !== 'off' &&
        hostname !== '' &&
        "'auto' and 'hostname' cannot be set at the same time",
      hostname.length > 253 && `fqdn is too long: ${hostname.length}`,
      hostname !== '' &&
        (first.length === 0 || first.length > 63) &&
        `invalid hostname ${JSON.stringify(first)}`,
    );
  },
  ResolverConfig({ body }) {
    const dns = at(body, 'hostDNS');
    const off = dns !== undefined && at(dns, 'enabled') !== true;
    return errors(
      off &&
        at(dns, 'forwardKubeDNSToHost') === true &&
        'hostDNS.forwardKubeDNSToHost cannot be enabled when hostDNS.enabled is false',
      off &&
        at(dns, 'resolveMemberNames') === true &&
        'hostDNS.resolveMemberNames cannot be enabled when hostDNS.enabled is false',
      ...list(body.nameservers).map(
        (server, index) =>
          string(at(server, 'address')) === undefined &&
          `nameserver address must be a valid IP: entry ${index}`,
      ),
    );
  },
  TimeSyncConfig({ body }) {
    return errors(
      string(body.bootTimeout)?.startsWith('-') && 'bootTimeout cannot be negative',
      body.ntp !== undefined &&
        body.ptp !== undefined &&
        'only one of ntp or ptp configuration can be specified',
    );
  },
  StaticHostConfig({ name, body }) {
    return errors(
      name === '' && 'name is required',
      addressProblem(name) !== undefined && 'name must be a valid IP address',
      list(body.hostnames).length === 0 && 'at least one hostname is required',
    );
  },
  RegistryMirrorConfig({ name, body }) {
    return errors(
      name === '' && 'name must be specified',
      ...list(body.endpoints).map((endpoint, index) => {
        const url = string(at(endpoint, 'url'));
        if (url === undefined) return `endpoints[${index}].url must be specified`;
        const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1] ?? '';
        return (
          !['http', 'https'].includes(scheme) &&
          `endpoints[${index}].url has unsupported scheme: ${JSON.stringify(scheme)}`
        );
      }),
    );
  },
  NetworkRuleConfig({ name, body }) {
    const ports = list(at(body, 'portSelector', 'ports'));
    return errors(
      name === '' && 'name is required',
      name !== '' && ports.length === 0 && 'portSelector.ports is required',
    );
  },
  BlackholeRouteConfig: ({ name }) =>
    errors(name === '' && 'name must be specified', !isPrefix(name) && 'name must be a valid address prefix'),
  EthernetConfig: ({ name }) => errors(name === '' && 'name is required'),
};

export function checkDocument(document: ConfigDocument): DocumentFindings {
  const found = RULES[document.kind]?.(document) ?? {};
  return { errors: found.errors ?? [], warnings: found.warnings ?? [] };
}
