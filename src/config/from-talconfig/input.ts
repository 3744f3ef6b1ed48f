/** What the reader of talconfig.yaml and topf.yaml works with. */
import type { ForeignDocument } from '../foreign/document.js';
import type { Path } from '../yaml/position.js';
import { filePatch, type Patch, type PatchInput } from './patches.js';
import type { TalosTool } from './shape.js';

/** What these tools do not say, because they know no Proxmox. */
export const PLACEHOLDERS = {
  endpoint: 'https://proxmox.example.com:8006',
  cluster: 'proxmox',
  host: 'pve1',
} as const;

export interface TalconfigInput extends PatchInput {
  readonly document: ForeignDocument;
  readonly tool: TalosTool;
  /** Files of a folder, for topf's `all/`, `control-plane/`, `worker/` and `node/<host>/`. */
  readonly listFiles: (folder: string) => readonly string[];
}

/** In the order of their names; a template of Go cannot be read. */
export function folderPatches(folder: string, path: Path, input: TalconfigInput): Patch[] {
  return [...input.listFiles(folder)].sort().flatMap((name) => {
    const file = `${folder}/${name}`;
    if (/\.ya?ml$/.test(name)) return filePatch(file, path, input);
    if (/\.tpl$/.test(name)) {
      input.report.warning({
        code: 'talconfig.template',
        path,
        message: `\`${file}\` is a template and is not carried over`,
        hint: 'write what `topf render` makes of it as a patch',
      });
    }
    return [];
  });
}
