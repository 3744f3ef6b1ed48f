/** Talos images that the storages of the hosts must hold. */
import type { Config, NodeConfig } from '../config/config.js';
import {
  type FactoryAsset,
  type ImageFormat,
  imageFilename,
  imageUrl,
} from '../formats/talos/factory-urls.js';
import { schematicIdOf } from '../formats/talos/schematic-reader.js';
import { compareText } from '../model/natural-order.js';
import { formatVersion } from '../model/version.js';
import type { ImageDesign } from './design.js';
import { withEnv } from './names.js';

/** Ids by schematic; nodes mostly share one, and hashing it once per node would be waste. */
export class SchematicIds {
  private readonly known = new Map<string, string>();

  idOf(schematic: NodeConfig['schematic']): string {
    const key = JSON.stringify(schematic);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const id = schematicIdOf(schematic);
    this.known.set(key, id);
    return id;
  }
}

/** The file a node's System disk or CD-ROM is made from. */
export function imageFor(config: Config, node: NodeConfig, host: string, schematicId: string): ImageDesign {
  const { env } = config.cluster;
  const asset: FactoryAsset = {
    factory: config.talos.factory,
    schematicId,
    version: formatVersion(node.talosVersion),
    platform: config.talos.platform,
    arch: config.talos.arch,
  };
  const format: ImageFormat = node.boot === 'iso' ? 'iso' : 'qcow2';
  const content = node.boot === 'iso' ? 'iso' : 'import';
  const filename = withEnv(env, imageFilename(asset, format));
  const storage = config.proxmox.imageStorage;
  return {
    host,
    storage,
    content,
    filename,
    volid: `${storage}:${content}/${filename}`,
    url: imageUrl(asset, format),
    schematicId,
    talosVersion: asset.version,
  };
}

/** One entry per host and file. Whether the storage is shared, so that one download is enough, plan can see. */
export function distinctImages(images: readonly ImageDesign[]): readonly ImageDesign[] {
  const byPlace = new Map(images.map((image) => [`${image.host}\n${image.volid}`, image]));
  return [...byPlace.values()].sort((a, b) => compareText(a.host, b.host) || compareText(a.volid, b.volid));
}
