// What is loaded together is one part of the bundle, with everything it imports: a layer needs itself and the layers
// before it, so that parts can be loaded one after the other as CommonJS.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LAYERS = [
  // What every command starts with, also one that only prints its help.
  { name: 'base', from: ['cli/app.js'], generated: ['unpack'] },
  { name: 'config', from: ['config/load.js', 'session/config/read-config.js', 'cli/require-config.js'] },
  // What every command needs that asks a Proxmox, and a plan.
  { name: 'session', from: ['session/session.js', 'cli/with-session.js', 'cli/commands/cluster/plan.js'] },
  { name: 'talos', from: ['clients/talos/client.js'] },
  { name: 'lab-base', from: ['lab/index.js', 'lab/parts.js'], without: /\/\.build\/lab\// },
  { name: 'lab', from: ['lab/index.js', 'lab/parts.js'] },
];

const IMPORT = /^(?:import|export)\b(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]/gm;
const PACKAGE = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/;

/** Which layer a module of `modules` (what tsc wrote) or of a package belongs to: groups for the bundler. */
export function layerGroups(modules) {
  const taken = new Set();
  return LAYERS.map(({ name, from, without, generated = [] }, index) => {
    const reached = new Set(generated);
    for (const path of from) follow(join(modules, path), reached);
    const members = new Set([...reached].filter((id) => !taken.has(id) && !without?.test(id)));
    for (const id of members) taken.add(id);
    return {
      name,
      priority: LAYERS.length - index,
      test: (id) => members.has(id) || members.has(PACKAGE.exec(id)?.[1] ?? id.replace(/^\0/, '')),
    };
  });
}

/** Adds a module and all that it imports at once: paths of modules, names of packages. */
function follow(path, reached) {
  if (reached.has(path)) return;
  reached.add(path);
  for (const [, source] of readFileSync(path, 'utf8').matchAll(IMPORT)) {
    if (source.startsWith('.')) follow(join(dirname(path), source), reached);
    else if (!source.startsWith('node:')) followPackage(source, dirname(path), reached);
  }
}

function followPackage(source, folder, reached) {
  const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(source) ?? [];
  if (reached.has(name)) return;
  reached.add(name);
  const manifest = findManifest(name, folder);
  if (!manifest) return;
  const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
  for (const one of Object.keys(dependencies)) followPackage(one, dirname(manifest), reached);
}

function findManifest(name, folder) {
  for (let place = folder; ; place = dirname(place)) {
    const path = join(place, 'node_modules', name, 'package.json');
    if (existsSync(path)) return path;
    if (place === dirname(place)) return undefined;
  }
}
