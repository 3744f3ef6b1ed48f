/** Secrets in patches and manifests never leave the machine: not in plans, JSON, journals or errors. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, labFile } from '../support/cli.js';
import { smallClusterForTests } from '../support/small-cluster.js';
import { smallFile } from '../support/small-file.js';

const SECRET = 'hunter2-planted';
const cluster = smallClusterForTests();

const PATCH = `machine:
  env: { HTTP_TOKEN: ${SECRET} }
  files:
    - { path: /var/etc/login, op: create, permissions: 0o600, content: "user:${SECRET}" }
  kubelet:
    extraArgs: { provider-id: ${SECRET} }
---
apiVersion: v1alpha1
kind: ExtensionServiceConfig
name: tailscale
environment: [ "TS_AUTHKEY=${SECRET}" ]
configFiles:
  - { content: "${SECRET}", mountPath: /etc/x }
`;

function journals(folder: string): string {
  const runs = labFile(folder, 'runs');
  return readdirSync(runs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl') || name.endsWith('.json'))
    .map((name) => readFileSync(join(runs, name), 'utf8'))
    .join('');
}

describe('a secret in a patch', () => {
  it('is in no plan, no JSON, no journal', async () => {
    const made = await cluster.folder();
    made.write('patch.yaml', PATCH);
    made.config = smallFile().replace(
      'talos: { version: v1.14.1 }',
      'talos: { version: v1.14.1, patches: { worker: [patch.yaml] } }',
    );
    const text = ended(await made.lab('plan', '--out', 'plan.json'));
    expect(text).toContain('(redacted)');
    const json = ended(await made.lab('plan', '--json'));
    const saved = readFileSync(join(made.path, 'plan.json'), 'utf8');
    const applied = await made.lab('apply', '--yes', '--json');
    ended(applied);
    made.write('patch.yaml', PATCH.replaceAll(SECRET, `${SECRET}-2`));
    const changed = ended(await made.lab('plan'));
    expect(changed).toContain('content: (redacted) (changed)');
    const journal = journals(made.path);
    expect(journal).toContain('run-started');
    for (const told of [text, json, saved, applied.stdout, changed, journal])
      expect(told).not.toContain(SECRET);
  });

  it('is in no error about the patch', async () => {
    const made = await cluster.folder();
    made.write('patch.yaml', PATCH.replace('env:', 'environ:'));
    made.config = smallFile().replace(
      'talos: { version: v1.14.1 }',
      'talos: { version: v1.14.1, patches: { worker: [patch.yaml] } }',
    );
    for (const args of [['validate'], ['plan'], ['plan', '--json']]) {
      const { exit, stdout, stderr } = await made.lab(...args);
      expect(exit).toBe(1);
      expect(stdout + stderr).toContain('environ');
      expect(stdout + stderr).not.toContain(SECRET);
    }
  });
});
