/** Volumes and images on a host's storages. */
import { isMapping } from '../../../formats/text/mapping.js';
import { apiCall } from '../api-call.js';
import type { ApiSession } from '../api-session.js';
import { asList, asRecord, asText, number, optionalNumber, optionalText, text } from '../decode.js';
import type { DiskOperations } from '../disk-operations.js';
import type { TaskRef } from '../task.js';
import { readTask, taskCall } from './vms.js';

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
  /** When it was made, in seconds; of backups. */
  readonly ctime: number | undefined;
  /** What the last verification of a backup came to: `ok` or `failed`; only PBS has it. */
  readonly verification: string | undefined;
}

interface DownloadUrl {
  readonly content: 'iso' | 'import' | 'vztmpl';
  readonly filename: string;
  readonly url: string;
  readonly checksum?: { readonly algorithm: 'sha256' | 'sha512'; readonly value: string };
  readonly verifyCertificates?: boolean;
}

interface AllocVolume {
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

export function storageCalls(session: ApiSession, disks: DiskOperations): StorageCalls {
  const call = apiCall(session);
  const task = taskCall(call);
  const storageOf = (volid: string) => volid.split(':')[0] ?? '';

  return {
    async storageContent(node, storage, filter = {}) {
      const { data } = await call('GET /nodes/{node}/storage/{storage}/content', {
        node,
        storage,
        ...filter,
      });
      return asList(data, 'storage content', (record) => ({
        volid: text(record, 'volid'),
        content: optionalText(record, 'content') ?? 'images',
        format: optionalText(record, 'format') ?? 'raw',
        // One of PBS that is not finished has none.
        size: record.content === 'backup' ? (optionalNumber(record, 'size') ?? 0) : number(record, 'size'),
        used: optionalNumber(record, 'used'),
        vmid: optionalNumber(record, 'vmid'),
        parent: optionalText(record, 'parent'),
        ctime: optionalNumber(record, 'ctime'),
        verification: optionalText(isMapping(record.verification) ? record.verification : {}, 'state'),
      }));
    },
    async volumeInfo(node, volid) {
      const { data } = await call('GET /nodes/{node}/storage/{storage}/content/{volume}', {
        node,
        storage: storageOf(volid),
        volume: volid,
      });
      const record = asRecord(data, 'volume');
      return {
        size: number(record, 'size'),
        used: optionalNumber(record, 'used'),
        format: optionalText(record, 'format') ?? 'raw',
        path: optionalText(record, 'path') ?? '',
      };
    },
    downloadUrl: (node, storage, download) =>
      disks.start(node, [storage], () =>
        task('POST /nodes/{node}/storage/{storage}/download-url', {
          node,
          storage,
          content: download.content,
          filename: download.filename,
          url: download.url,
          checksum: download.checksum?.value,
          'checksum-algorithm': download.checksum?.algorithm,
          'verify-certificates': download.verifyCertificates,
        }),
      ),
    allocVolume: (node, storage, volume) =>
      disks.run(node, [storage], async () => {
        const { data } = await call('POST /nodes/{node}/storage/{storage}/content', {
          node,
          storage,
          vmid: volume.vmid,
          filename: volume.filename,
          size: String(Math.ceil(volume.size / 1024)),
          format: volume.format,
        });
        return asText(data, 'volume id');
      }),
    async deleteVolume(node, volid) {
      const { data } = await call('DELETE /nodes/{node}/storage/{storage}/content/{volume}', {
        node,
        storage: storageOf(volid),
        volume: volid,
      });
      return readTask(data);
    },
    async queryUrl(node, url) {
      const { data } = await call('GET /nodes/{node}/query-url-metadata', { node, url });
      const record = asRecord(data, 'URL metadata');
      return { filename: optionalText(record, 'filename'), size: optionalNumber(record, 'size') };
    },
  };
}
