/** Volumes and images on a host's storages. */
import { asList, asRecord, asText, number, optionalNumber, optionalText, text } from '../decode.js';
import type { DiskOperations } from '../disk-operations.js';
import { apiPath, type Params } from '../encode.js';
import type { Session } from '../session.js';
import { parseUpid, type TaskRef } from '../task.js';

export interface VolumeEntry {
  readonly volid: string;
  readonly content: string;
  readonly format: string;
  /** Virtual size in bytes. */
  readonly size: number;
  readonly used: number | undefined;
  /** The VM its name says it belongs to. */
  readonly vmid: number | undefined;
  readonly parent: string | undefined;
}

export interface DownloadUrl {
  readonly content: 'iso' | 'import' | 'vztmpl';
  readonly filename: string;
  readonly url: string;
  readonly checksum?: { readonly algorithm: 'sha256' | 'sha512'; readonly value: string };
  readonly verifyCertificates?: boolean;
}

export interface AllocVolume {
  readonly vmid: number;
  readonly filename: string;
  /** Bytes; rounded up to whole KiB, the unit Proxmox counts in. */
  readonly size: number;
  readonly format?: 'raw' | 'qcow2';
}

export interface StorageCalls {
  storageContent(
    node: string,
    storage: string,
    filter?: { content?: string; vmid?: number },
  ): Promise<VolumeEntry[]>;
  volumeInfo(
    node: string,
    volid: string,
  ): Promise<{ size: number; used: number | undefined; format: string; path: string }>;
  downloadUrl(node: string, storage: string, download: DownloadUrl): Promise<TaskRef>;
  /** Returns the volume's id. */
  allocVolume(node: string, storage: string, volume: AllocVolume): Promise<string>;
  /** Erases it. A volume that is not there is no error. `undefined`: done already. */
  deleteVolume(node: string, volid: string): Promise<TaskRef | undefined>;
  queryUrl(node: string, url: string): Promise<{ filename: string | undefined; size: number | undefined }>;
}

export function storageCalls(session: Session, disks: DiskOperations): StorageCalls {
  const get = async (path: string, params: Params = {}) => (await session.request('GET', path, params)).data;
  const contentPath = (node: string, volid: string) =>
    apiPath`/nodes/${node}/storage/${volid.split(':')[0] ?? ''}/content/${volid}`;

  return {
    async storageContent(node, storage, filter = {}) {
      const data = await get(apiPath`/nodes/${node}/storage/${storage}/content`, { ...filter });
      return asList(data, 'storage content', (record) => ({
        volid: text(record, 'volid'),
        content: optionalText(record, 'content') ?? 'images',
        format: optionalText(record, 'format') ?? 'raw',
        size: number(record, 'size'),
        used: optionalNumber(record, 'used'),
        vmid: optionalNumber(record, 'vmid'),
        parent: optionalText(record, 'parent'),
      }));
    },
    async volumeInfo(node, volid) {
      const record = asRecord(await get(contentPath(node, volid)), 'volume');
      return {
        size: number(record, 'size'),
        used: optionalNumber(record, 'used'),
        format: optionalText(record, 'format') ?? 'raw',
        path: optionalText(record, 'path') ?? '',
      };
    },
    downloadUrl: (node, storage, download) =>
      disks.start(node, [storage], async () => {
        const { data } = await session.request(
          'POST',
          apiPath`/nodes/${node}/storage/${storage}/download-url`,
          {
            content: download.content,
            filename: download.filename,
            url: download.url,
            checksum: download.checksum?.value,
            'checksum-algorithm': download.checksum?.algorithm,
            'verify-certificates': download.verifyCertificates,
          },
        );
        return parseUpid(asText(data, 'task id'));
      }),
    allocVolume: (node, storage, volume) =>
      disks.run(node, [storage], async () => {
        const { data } = await session.request('POST', apiPath`/nodes/${node}/storage/${storage}/content`, {
          vmid: volume.vmid,
          filename: volume.filename,
          size: Math.ceil(volume.size / 1024),
          format: volume.format,
        });
        return asText(data, 'volume id');
      }),
    async deleteVolume(node, volid) {
      const { data } = await session.request('DELETE', contentPath(node, volid));
      return data === null || data === undefined ? undefined : parseUpid(asText(data, 'task id'));
    },
    async queryUrl(node, url) {
      const record = asRecord(await get(apiPath`/nodes/${node}/query-url-metadata`, { url }), 'URL metadata');
      return { filename: optionalText(record, 'filename'), size: optionalNumber(record, 'size') };
    },
  };
}
