/** Which TCP sockets a process listens on, as the kernel says (Linux only). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTEN = '0A';

/** `127.0.0.1:8006`, `[hex]:port` for IPv6. */
export function listeningSockets(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const inodes = new Set(
    readdirSync(folder).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${fd}`))?.[1] ?? [];
      } catch {
        return []; // closed meanwhile
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
        return state === LISTEN && inodes.has(inode) ? [readAddress(local)] : [];
      }),
  );
}

/** `0100007F:1F46` is 127.0.0.1:8006: the address in the host's byte order. */
function readAddress(hex: string): string {
  const [address = '', port = ''] = hex.split(':');
  const bytes = address.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  const shown = bytes.length === 4 ? bytes.reverse().join('.') : `[${address}]`;
  return `${shown}:${Number.parseInt(port, 16)}`;
}
