/** Addresses of what the Image Factory makes of a schematic. */

export interface FactoryAsset {
  /** `https://factory.talos.dev` */
  readonly factory: string;
  readonly schematicId: string;
  /** `v1.14.1` */
  readonly version: string;
  /** `nocloud` */
  readonly platform: string;
  readonly arch: string;
}

/** `.qcow2` for content `import`: Proxmox decompresses nothing there, and xz nowhere (recording download-url). */
export type ImageFormat = 'qcow2' | 'iso';

export function imageUrl(asset: FactoryAsset, format: ImageFormat): string {
  const { schematicId, version, platform, arch } = asset;
  return `${asset.factory.replace(/\/+$/, '')}/image/${schematicId}/${version}/${platform}-${arch}.${format}`;
}

/** The file's name on a Proxmox storage, without the env prefix. */
export function imageFilename(asset: FactoryAsset, format: ImageFormat): string {
  const { schematicId, version, platform, arch } = asset;
  return `talos-${schematicId}-${version}-${platform}-${arch}.${format}`;
}

/** The image reference that Talos installs and upgrades from. */
export function installerImage(asset: Omit<FactoryAsset, 'arch'>): string {
  const registry = asset.factory.replace(/^[a-z]+:\/\//, '').replace(/\/+$/, '');
  return `${registry}/${asset.platform}-installer/${asset.schematicId}:${asset.version}`;
}
