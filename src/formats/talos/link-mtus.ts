/** MTUs of links in a machine config. Talos never takes one back that a later config no longer names. */
import { isMapping, type Mapping } from '../text/mapping.js';

const LINK_KINDS = new Set(['LinkConfig', 'VLANConfig', 'BondConfig', 'BridgeConfig', 'DummyLinkConfig']);

/** Links that both configs describe, whose MTU only the later one names. */
export function newlyWrittenMtus(before: readonly Mapping[], after: readonly Mapping[]): string[] {
  const old = linksIn(before);
  return [...linksIn(after)].flatMap(([name, { mtu }]) => {
    const link = old.get(name);
    return link && hasMtu({ mtu }) && !hasMtu(link) ? [name] : [];
  });
}

/** The same config with these MTUs written out, by the name of the link. */
export function withMtus(documents: readonly Mapping[], mtus: ReadonlyMap<string, number>): Mapping[] {
  const written = (link: Mapping, name: unknown): Mapping => {
    const mtu = typeof name === 'string' ? mtus.get(name) : undefined;
    return mtu === undefined ? link : { ...link, mtu };
  };
  return documents.map((document) => {
    if (LINK_KINDS.has(String(document.kind))) return written(document, document.name);
    const { machine } = document;
    const network = isMapping(machine) && isMapping(machine.network) ? machine.network : undefined;
    if (document.kind !== undefined || !isMapping(machine) || !Array.isArray(network?.interfaces))
      return document;
    const interfaces = network.interfaces.map((link) =>
      isMapping(link) ? written(link, link.interface) : link,
    );
    return { ...document, machine: { ...machine, network: { ...network, interfaces } } };
  });
}

/** `true`: a link of `machine.network.interfaces` lost its MTU. */
export function losesMtu(before: unknown, after: unknown): boolean {
  const links = (list: unknown) => (Array.isArray(list) ? list.filter(isMapping) : []);
  return links(before).some(
    (link) =>
      hasMtu(link) && links(after).some((other) => other.interface === link.interface && !hasMtu(other)),
  );
}

function linksIn(documents: readonly Mapping[]): ReadonlyMap<string, Mapping> {
  return new Map(
    documents.flatMap((document): [string, Mapping][] => {
      if (LINK_KINDS.has(String(document.kind))) return [[String(document.name), document]];
      const { machine } = document;
      const network = isMapping(machine) && isMapping(machine.network) ? machine.network : {};
      const interfaces =
        document.kind === undefined && Array.isArray(network.interfaces) ? network.interfaces : [];
      return interfaces
        .filter(isMapping)
        .flatMap((link): [string, Mapping][] =>
          typeof link.interface === 'string' ? [[link.interface, link]] : [],
        );
    }),
  );
}

function hasMtu({ mtu }: Mapping): boolean {
  return typeof mtu === 'number' && mtu > 0;
}
