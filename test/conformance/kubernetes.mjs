/**
 * A Go client that speaks protobuf, against any Kubernetes API: `node test/conformance/kubernetes.mjs SERVER TOKEN`.
 * It writes to the namespace `default`: use a lab.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const [server, token] = process.argv.slice(2);
if (server === undefined || token === undefined) {
  console.error('usage: node test/conformance/kubernetes.mjs SERVER TOKEN');
  process.exit(2);
}
const work = mkdtempSync(join(tmpdir(), 'oxherd-client-go-'));
try {
  // Copied: the build writes go.sum and completes go.mod.
  cpSync(join(HERE, 'kubernetes'), work, { recursive: true });
  const env = { ...process.env, GOFLAGS: '-mod=mod -buildvcs=false', GOWORK: 'off' };
  execFileSync('go', ['build', '-o', 'client', '.'], {
    cwd: work,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { status } = spawnSync(join(work, 'client'), [server, token], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
