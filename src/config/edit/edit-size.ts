/** Writes the size of a volume, or of a node's disk, into the user's file. */
import { isMapping } from '../../formats/text/mapping.js';
import { readYaml } from '../../formats/text/yaml-text.js';
import { type Bytes, formatSize } from '../../model/size.js';
import type { Path } from '../yaml/position.js';
import { setKey } from './edit.js';

export function editSize(
  text: string,
  key: { readonly volume: string } | { readonly node: string },
  size: Bytes,
): { readonly edited: string; readonly path: Path } {
  const path: Path =
    'volume' in key ? ['volumes', key.volume, 'size'] : ['nodes', entryOf(text, key.node), 'disk'];
  return { edited: setKey(text, path, formatSize(size)), path };
}

/** `work-2` is the second of the group `work`, unless an entry has that name. */
function entryOf(text: string, node: string): string {
  const file: unknown = readYaml(text);
  const nodes = isMapping(file) && isMapping(file.nodes) ? file.nodes : {};
  if (Object.hasOwn(nodes, node)) return node;
  const group = node.replace(/-\d+$/, '');
  return Object.hasOwn(nodes, group) ? group : node;
}
