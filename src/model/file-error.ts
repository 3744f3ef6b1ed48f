/** What the file system refused, in words, with what to do about it. */

interface Meaning {
  /** Completes the name of the file. */
  readonly says: string;
  readonly advice: string;
}

const MEANINGS: Readonly<Record<string, Meaning>> = {
  ENOENT: { says: 'does not exist', advice: 'check the path, and name a file that exists' },
  EISDIR: { says: 'is a folder', advice: 'name a file' },
  ENOTDIR: { says: 'lies below something that is not a folder', advice: 'check the path' },
  EACCES: { says: 'is not permitted for this user', advice: 'check its owner and mode with `ls -l`' },
  EPERM: { says: 'is not permitted for this user', advice: 'check its owner, mode and attributes' },
  EROFS: { says: 'is on a read-only file system', advice: 'name a place that can be written' },
  ENOSPC: { says: 'does not fit: no space is left', advice: 'free some space, then run it again' },
  EDQUOT: { says: 'does not fit: the quota is used up', advice: 'free some space, then run it again' },
  EEXIST: { says: 'exists already', advice: 'name another file, or move this one' },
  ENOTEMPTY: { says: 'is a folder with files in it', advice: 'name another place' },
  ELOOP: { says: 'is a chain of links without an end', advice: 'name the file itself' },
  ENAMETOOLONG: { says: 'is too long a name', advice: 'name a shorter one' },
  EMFILE: { says: 'cannot be opened: too many files are open', advice: 'raise the limit with `ulimit -n`' },
  EXDEV: { says: 'is on another file system', advice: 'name a place on the same one' },
  EBUSY: { says: 'is in use', advice: 'close what uses it, then run it again' },
};

/** A full disk is no error of oxherd, also where Node does not name the file: a write knows only its descriptor. */
const FULL: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
};

/** `undefined` where the error is not one of the file system. `known`: the file, where the caller knows it better. */
export function fileErrorOf(
  error: Error,
  known?: string,
): { readonly message: string; readonly advice: string } | undefined {
  const { code, path, dest, syscall } = error as { code?: unknown; path?: unknown; dest?: unknown } & {
    syscall?: unknown;
  };
  const file = known ?? (typeof dest === 'string' ? dest : path);
  const meaning = typeof code === 'string' ? MEANINGS[code] : undefined;
  // A program that is not installed is an ENOENT too.
  if (!meaning || /^(?:spawn|connect)/.test(String(syscall))) return undefined;
  if (typeof file === 'string') return { message: `${file} ${meaning.says}`, advice: meaning.advice };
  const message = FULL[String(code)];
  return message === undefined ? undefined : { message, advice: meaning.advice };
}
