/**
 * A line in a VM's description says which host the file named when oxherd last changed it. A file that names another
 * one since then asks for a move; a VM that is elsewhere although the file still says the same was moved by someone.
 */
const LINE = /^intended host (\S+)$/;

export function withHostNote(description: string | undefined, host: string): string {
  return [...(description ? [description] : []), `intended host ${host}`].join('\n');
}

export function notedHost(description: string): string | undefined {
  for (const line of description.split('\n')) {
    const host = LINE.exec(line.trim())?.[1];
    if (host !== undefined) return host;
  }
  return undefined;
}
