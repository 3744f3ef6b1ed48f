/** The simulators beside Proxmox that a whole lab has. */
import type { LabPartMaker } from './index.js';

export function labParts(_options: { readonly machines?: boolean } = {}): LabPartMaker[] {
  return [
    () => ({
      name: 'factory',
      file: (url) => {
        const match = /\/image\/([0-9a-f]+)\/(v[\d.]+)\/nocloud-(\w+)\.(qcow2|iso)$/.exec(url);
        if (!match) return undefined;
        return {
          status: 200,
          reason: 'OK',
          size: 196_616,
          contentType: 'application/octet-stream',
          sha256: match[1] ?? '',
          image: {
            schematic: match[1] ?? '',
            version: match[2] ?? '',
            arch: match[3] ?? '',
            format: match[4] ?? '',
            virtualSize: 4_453_302_272,
          },
        };
      },
    }),
  ];
}
