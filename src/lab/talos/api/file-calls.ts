import { Code, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import type { MachineService } from '../../../clients/talos/gen/machine/machine_pb.js';
import { ListRequest_Type } from '../../../clients/talos/gen/machine/system_pb.js';
import { cleanPath, filesOf, type MachineFile, mountsOf, walk } from '../machine/machine-files.js';
import { type Endpoint, fail } from './caller.js';

type Target = (context: HandlerContext) => Endpoint;

const FOLDER_MODE = 0o20000000755;
const FILE_MODE = 0o644;
const FOLDER_SIZE = 4096;

const sizeOf = (file: MachineFile) =>
  file.content === undefined ? FOLDER_SIZE : Buffer.byteLength(file.content);

export function fileCalls(target: Target) {
  return {
    async *read({ path }, context) {
      const file = filesOf(target(context).machine).find((one) => one.path === path);
      if (!file) fail(Code.NotFound, `stat ${path}: no such file or directory`);
      if (file.content === undefined) fail(Code.Unknown, 'path must be a regular file');
      yield { bytes: new TextEncoder().encode(file.content) };
    },

    async *list({ root, recurse, recursionDepth, types }, context) {
      const { machine } = target(context);
      const path = cleanPath(root);
      const depth = recurse ? recursionDepth || Number.POSITIVE_INFINITY : 1;
      const found = walk(machine, path, depth);
      if (!found) return fail(Code.Unknown, `lstat ${path}: no such file or directory`);
      const wanted = (file: MachineFile) =>
        types.length === 0 ||
        types.includes(file.content === undefined ? ListRequest_Type.DIRECTORY : ListRequest_Type.REGULAR);
      for (const { file, relative } of found) {
        if (!wanted(file)) continue;
        const isDir = file.content === undefined;
        yield {
          name: file.path,
          relativeName: relative,
          size: BigInt(sizeOf(file)),
          // Go's file mode: the highest bit is the folder's.
          mode: isDir ? FOLDER_MODE : FILE_MODE,
          modified: BigInt(Math.floor(machine.record.bootedAt / 1000)),
          isDir,
        };
      }
    },

    async *diskUsage({ paths, all, recursionDepth, threshold }, context) {
      const { machine } = target(context);
      for (const given of paths) {
        const path = cleanPath(given);
        const found = walk(machine, path);
        if (!found) {
          const error = `lstat ${path}: no such file or directory`;
          yield { name: path, relativeName: path, error };
          continue;
        }
        const shown = found
          .filter(({ file }) => file.path === path || all || file.content === undefined)
          .filter(({ relative }) => relative === '.' || relative.split('/').length <= recursionDepth)
          .sort((a, b) => b.file.path.length - a.file.path.length);
        for (const { file, relative } of shown) {
          const size = (walk(machine, file.path) ?? []).reduce((sum, one) => sum + sizeOf(one.file), 0);
          const over = threshold >= 0n ? BigInt(size) >= threshold : BigInt(size) <= -threshold;
          if (over) yield { name: file.path, relativeName: relative, size: BigInt(size) };
        }
      }
    },

    mounts(_request, context) {
      const stats = mountsOf(target(context).machine).map(({ source, target: mountedOn, size }) => ({
        filesystem: source,
        size: BigInt(Math.floor(size)),
        available: BigInt(Math.floor(size * 0.9)),
        mountedOn,
      }));
      return { messages: [{ stats }] };
    },
  } satisfies Partial<ServiceImpl<typeof MachineService>>;
}
