/** Mappings of USB devices and of directories (pve-manager, PVE/API2/Cluster/Mapping/{USB,Dir}.pm). */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import type { PveDb } from '../db.js';
import { withClusterLock } from '../quorum.js';
import { assertDigest, digestOfText } from '../section-config.js';
import { splitList } from '../validation/formats.js';

type Mapping = NonNullable<ReturnType<PveDb['otherMappings']['get']>>;

interface Kind {
  readonly kind: 'usb' | 'dir';
  readonly file: 'mapping_usb_cfg' | 'mapping_directory_cfg';
  /** As error texts call it. */
  readonly word: string;
}

const KINDS: readonly Kind[] = [
  { kind: 'usb', file: 'mapping_usb_cfg', word: 'usb' },
  { kind: 'dir', file: 'mapping_directory_cfg', word: 'dir' },
];

const MAY_SEE = ['Mapping.Modify', 'Mapping.Use', 'Mapping.Audit'];

export const otherMappingHandlers: Handlers = Object.assign({}, ...KINDS.map(handlersOf));

function handlersOf(kind: Kind): Handlers {
  const path = `/cluster/mapping/${kind.kind}`;
  const key = (call: Call) => `${kind.kind}/${call.text('id') ?? ''}`;
  const all = ({ db }: Pve) =>
    [...db.otherMappings.entries()]
      .filter(([name]) => name.startsWith(`${kind.kind}/`))
      .map(([, mapping]) => mapping);
  const locked = (call: Call, what: string, change: () => void) =>
    withClusterLock(call.pve, kind.file, what, () => {
      change();
      return null;
    });
  return {
    [`GET ${path}`]: (call) => {
      const digest = digestOfText(all(call.pve));
      const node = call.text('check-node');
      return all(call.pve)
        .filter(({ id }) => call.allows(`/mapping/${kind.kind}/${id}`, MAY_SEE, { any: true }))
        .map((mapping) => ({
          ...mapping,
          type: kind.kind,
          digest,
          ...(node === undefined ? {} : { checks: checksOf(mapping, node) }),
        }));
    },
    [`GET ${path}/{id}`]: (call) => {
      const mapping = call.pve.db.otherMappings.get(key(call));
      if (!mapping) throw new PveError(500, `mapping '${call.text('id')}' not found`);
      const { id: _id, ...shown } = mapping;
      return { ...shown, type: kind.kind, digest: digestOfText(all(call.pve)) };
    },
    [`POST ${path}`]: (call) =>
      locked(call, 'create hardware mapping failed', () => {
        const id = call.text('id') ?? '';
        if (call.pve.db.otherMappings.has(key(call))) {
          throw new PveError(500, `${kind.word} ID '${id}' already defined`);
        }
        call.pve.db.otherMappings.put(key(call), { id, ...settings(call) });
      }),
    [`PUT ${path}/{id}`]: (call) =>
      locked(call, 'update hardware mapping failed', () => {
        assertDigest(call.text('digest'), digestOfText(all(call.pve)));
        const mapping = call.pve.db.otherMappings.get(key(call));
        if (!mapping) throw new PveError(500, `${kind.word} ID '${call.text('id')}' does not exist`);
        if (call.list('map').length === 0) {
          throw new PveError(500, "missing value for required option 'map'");
        }
        const changed: Mapping = { ...mapping, ...settings(call) };
        for (const name of splitList(call.text('delete') ?? '')) {
          if (name === 'map') throw new PveError(500, "unable to delete required option 'map'");
          if (name !== 'description') throw new PveError(500, `no such option '${name}'`);
          delete changed.description;
        }
        call.pve.db.otherMappings.put(key(call), changed);
      }),
    [`DELETE ${path}/{id}`]: (call) =>
      locked(call, `delete ${kind.word} mapping failed`, () => {
        call.pve.db.otherMappings.delete(key(call));
      }),
  };
}

function settings(call: Call): Pick<Mapping, 'description' | 'map'> {
  const description = call.text('description');
  return { ...(description === undefined ? {} : { description }), map: [...call.list('map')] };
}

/** A lab's hosts have whatever a mapping says they have. */
function checksOf({ map }: Mapping, node: string): unknown[] {
  const here = map.some((line) => line.split(',').includes(`node=${node}`));
  return here ? [] : [{ severity: 'warning', message: `No mapping for node ${node}.` }];
}
