// The main job on the embedded lab: one file, a plan, a cluster; then what to try next.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const CONFIG = 'examples/homelab/oxherd.yaml';

function oxherd(...args) {
  console.log(`\n$ oxherd --lab -c ${CONFIG} ${args.join(' ')}`);
  const result = spawnSync(
    process.execPath,
    [join(root, 'dist/bin/oxherd.js'), '--lab', '-c', CONFIG, ...args],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
  if (result.status !== 0) process.exit(result.status ?? 1);
}

oxherd('apply', '--yes');
oxherd('status');
console.log(`
This cluster lives on the embedded lab: a simulated Proxmox VE with Talos machines, kept in .oxherd/lab.
Try next (node dist/bin/oxherd.js …):
  --lab -c ${CONFIG} ui --write       see it in a browser: map, plan, runs as they happen
  --lab -c ${CONFIG} plan             nothing is to be done
  --lab -c ${CONFIG} volumes list     every disk, who owns it, who uses it
  change cores, a size or a volume in ${CONFIG}, then plan and apply again
  --lab -c ${CONFIG} destroy --yes    the VMs go, the data stays; apply brings them back
  lab reset --yes                                         forget this lab
  init                                                    write a file for your own rack`);
