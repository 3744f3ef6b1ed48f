/** A small cluster on a served lab, and the programs of this machine against it. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CliFolder, type CliResult } from '../support/cli.js';

export interface Result {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Machines have addresses of 192.168.1.0/24; `lab serve` puts them on 127.168.1.0/24. */
export const NODE = '127.168.1.60';

const CONFIG = `
cluster: { name: clients, kubernetes: v1.36.0, scheduleOnControlPlanes: true }
talos: { version: v1.14.1 }
proxmox: { endpoint: https://pve.lan:8006, cluster: pve, token: env:OXHERD_PROXMOX_TOKEN }
network: { subnet: 192.168.1.0/24, gateway: 192.168.1.1 }
nodes:
  one: { role: controlplane, host: pve, ip: 192.168.1.60, vmid: 160 }
policy: { outage: allow }
`;

export interface ServedCluster {
  readonly path: string;
  readonly ready: () => { readonly endpoint: string; readonly token: string };
  run(program: string, args: readonly string[], input?: string): Promise<Result>;
  close(): Promise<void>;
}

export async function serveCluster(): Promise<ServedCluster> {
  const folder = CliFolder.make(CONFIG);
  const applied = await folder.run(['--lab', 'apply', '--yes']);
  if (applied.exit !== 0) throw new Error(`the cluster was not built: ${applied.stdout}${applied.stderr}`);
  const stop = new AbortController();
  const serve = ['lab', 'serve', '--port', '0', '--speed', '30', '--ready-file', 'ready.json'];
  const served: Promise<CliResult> = folder.run(serve, { signal: stop.signal });
  const readyFile = join(folder.path, 'ready.json');
  for (let tries = 0; tries < 400 && !existsSync(readyFile); tries += 1) await wait(50);
  const talosconfig = onLoopback(folder.path, 'talosconfig');
  const kubeconfig = onLoopback(folder.path, 'kubeconfig');
  const env = { ...process.env, HOME: folder.path, TALOSCONFIG: talosconfig, KUBECONFIG: kubeconfig };
  return {
    path: folder.path,
    ready: () => JSON.parse(readFileSync(readyFile, 'utf8')),
    run: (program, args, input) => run(program, args, { cwd: folder.path, env }, input),
    async close() {
      stop.abort();
      await served;
      folder.remove();
    },
  };
}

/** The file that oxherd wrote, with the addresses where the lab listens. */
function onLoopback(folder: string, name: string): string {
  const written = readdirSync(join(folder, '.oxherd'), { recursive: true, encoding: 'utf8' }).find(
    (path) => path === name || path.endsWith(`/${name}`),
  );
  if (written === undefined) throw new Error(`no ${name} was written`);
  const text = readFileSync(join(folder, '.oxherd', written), 'utf8');
  const path = join(folder, name);
  writeFileSync(path, text.replaceAll('192.168.1.', '127.168.1.'), { mode: 0o600 });
  return path;
}

export function run(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
  input = '',
): Promise<Result> {
  return new Promise((resolve) => {
    const child = execFile(program, [...args], { ...options, timeout: 90_000 }, (error, stdout, stderr) =>
      resolve({ exit: error ? (child.exitCode ?? -1) : 0, stdout, stderr }),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** Empty where the program is there; else what a report says of the tests that need it. */
export async function missing(program: string, ...args: string[]): Promise<string> {
  const { exit } = await run(program, args);
  return exit === 0 ? '' : ` (skipped: ${program} is not on the PATH)`;
}
