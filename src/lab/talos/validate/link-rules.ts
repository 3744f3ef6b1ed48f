import { addressProblem } from '../../../formats/talos/talos-scalars.js';
import { at, type ConfigDocument, list, string } from '../config/config-document.js';
import { checkSelector } from '../selectors/check.js';
import { LINK_ENVIRONMENT } from '../selectors/environment.js';
import type { DocumentRule } from './document-rule.js';

/** Links, addresses on them, shared addresses. */

const named = (name: string) => (name === '' ? ['name must be specified'] : []);

/** Addresses and routes that every kind of link may have. */
function common(body: ConfigDocument['body']): string[] {
  const unspecified = (text: string | undefined) => text !== undefined && /^(0\.0\.0\.0|::)(\/|$)/.test(text);
  return [
    ...list(body.addresses).flatMap((item, index) => {
      const address = string(at(item, 'address'));
      if (address === undefined) return [`address ${index} must be specified`];
      return unspecified(address) ? [`address ${index} must be a valid IP address`] : [];
    }),
    ...list(body.routes).flatMap((route, index) => [
      ...(unspecified(string(at(route, 'destination')))
        ? [`route ${index} destination must be a valid IP prefix`]
        : []),
      ...(unspecified(string(at(route, 'gateway')))
        ? [`route ${index} gateway must be a valid IP address`]
        : []),
      ...(unspecified(string(at(route, 'source')))
        ? [`route ${index} source must be a valid IP address`]
        : []),
    ]),
  ];
}

function dhcp({ name, body }: ConfigDocument) {
  const duid = list(body.duidRaw).length > 0 || Boolean(string(body.duidRaw));
  const wanted = body.clientIdentifier === 'duid';
  return {
    errors: [
      ...named(name),
      ...(duid && !wanted ? ["duidRaw can only be set if clientIdentifier is 'duid'"] : []),
      ...(wanted && !duid ? ["duidRaw must be set if clientIdentifier is 'duid'"] : []),
    ],
  };
}

function sharedAddress({ name, body }: ConfigDocument): string[] {
  const bad = addressProblem(name);
  return [
    ...(name === '' ? ['name must be specified'] : bad ? [`name must be a valid IP address: ${bad}`] : []),
    ...(string(body.link) ? [] : ['link must be specified']),
  ];
}

export const LINK_RULES: Readonly<Record<string, DocumentRule>> = {
  LinkConfig: ({ name, body }) => ({ errors: [...named(name), ...common(body)] }),
  BridgeConfig: ({ name, body }) => ({ errors: [...named(name), ...common(body)] }),
  DummyLinkConfig: ({ name, body }) => ({ errors: [...named(name), ...common(body)] }),
  VLANConfig({ name, body }) {
    const id = typeof body.vlanID === 'number' ? body.vlanID : 0;
    return {
      errors: [
        ...named(name),
        ...(id === 0 || id > 4094 ? ['vlanID must be specified and between 1 and 4094'] : []),
        ...(string(body.parent) ? [] : ['parent must be specified']),
        ...common(body),
      ],
    };
  },
  BondConfig({ name, body }) {
    const delays = body.bondMode === '802.3ad' ? ['miimon', 'updelay', 'downdelay'] : [];
    return {
      errors: [
        ...named(name),
        ...(list(body.links).length === 0 ? ['at least one link must be specified'] : []),
        ...(body.bondMode === undefined ? ['bond mode must be specified'] : []),
        ...common(body),
      ],
      warnings: delays
        .filter((key) => body[key] === undefined)
        .map((key) => `${key} was not specified for 802.3ad bond`),
    };
  },
  LinkAliasConfig({ name, body }) {
    const match = string(at(body, 'selector', 'match'));
    const problem = match ? checkSelector(match, LINK_ENVIRONMENT) : undefined;
    const pattern = name.includes('%') && !/^[^%]+%d$/.test(name);
    return {
      errors: [
        ...named(name),
        ...(pattern ? [`name ${JSON.stringify(name)} contains an invalid format verb, use %d suffix`] : []),
        ...(match ? [] : ['link selector is required']),
        ...(problem === undefined ? [] : [`link selector is invalid: ${problem}`]),
      ],
    };
  },
  Layer2VIPConfig: (document) => ({ errors: sharedAddress(document) }),
  HCloudVIPConfig: (document) => ({
    errors: [
      ...sharedAddress(document),
      ...(string(document.body.apiToken) ? [] : ['apiToken must be specified']),
    ],
  }),
  DHCPv4Config: dhcp,
  DHCPv6Config: dhcp,
  WireguardConfig: ({ name, body }) => ({
    errors: [
      ...named(name),
      ...(string(body.privateKey) ? [] : ['wireguard private key must be specified']),
      ...common(body),
    ],
  }),
};
