/** Builds the Go programs that judge what oxherd writes; kept outside the repository between runs. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const SOPS = 'github.com/getsops/sops/v3';
const SOPS_VERSION = 'v3.11.0';
const GO_ENV = { ...process.env, GOFLAGS: '-mod=mod -buildvcs=false', GOWORK: 'off' };

export function hasGo() {
  return spawnSync('go', ['version']).status === 0;
}

/** A folder of its own for each state of the sources, so that an old binary never judges. */
function cacheFolder(key) {
  const folder = join(tmpdir(), `oxherd-conformance-${userInfo().uid}`, key);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function sourcesKey(folder) {
  const hash = createHash('sha256');
  for (const entry of readdirSync(folder, { recursive: true }).sort()) {
    const path = join(folder, entry);
    if (statSync(path).isFile()) hash.update(entry).update(readFileSync(path));
  }
  return hash.digest('hex').slice(0, 16);
}

const MACHINERY = 'github.com/siderolabs/talos/pkg/machinery';
/** The version in ./go/go.mod. */
export const NEWEST = 'v1.14.1';

/** A program of ./go, built on one version of Talos' library. */
export function buildTool(name, version = NEWEST) {
  const sources = join(HERE, 'go');
  const folder = cacheFolder(`${version}-${sourcesKey(sources)}`);
  const binary = join(folder, name);
  if (existsSync(binary)) return binary;
  // Copied: the build writes go.sum and completes go.mod.
  const work = join(folder, 'src');
  cpSync(sources, work, { recursive: true });
  if (version !== NEWEST) {
    // Older versions need none of the replacements.
    writeFileSync(
      join(work, 'go.mod'),
      `module oxherd.internal/conformance\n\ngo 1.26\n\nrequire ${MACHINERY} ${version}\n`,
    );
  }
  execFileSync('go', ['build', '-o', binary, `./${name}`], {
    cwd: work,
    env: GO_ENV,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return binary;
}

/** The real `sops`. */
export function buildSops() {
  const folder = cacheFolder(`sops-${SOPS_VERSION}`);
  const binary = join(folder, 'sops');
  if (existsSync(binary)) return binary;
  writeFileSync(join(folder, 'go.mod'), `module conformance\n\ngo 1.26\n\nrequire ${SOPS} ${SOPS_VERSION}\n`);
  execFileSync('go', ['build', '-o', binary, `${SOPS}/cmd/sops`], {
    cwd: folder,
    env: GO_ENV,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return binary;
}

/** Folder of a module's sources in Go's own cache. */
export function moduleFolder(module, version) {
  const json = execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], {
    cwd: cacheFolder('modules'),
    env: { ...GO_ENV, GOFLAGS: '' },
    encoding: 'utf8',
  });
  return JSON.parse(json).Dir;
}
