/** The first hour: a token by the printed script, a config from what was found, a doctor with nothing to say. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProxmoxClient } from '../../src/clients/proxmox/client.js';
import { CliFolder, ended } from '../support/cli.js';

const ENTER = '\r';
const read = (folder: CliFolder, name: string) => readFileSync(join(folder.path, name), 'utf8');

/** As root on a host runs them: each line of the script by the call it stands for. */
async function runScript(script: string, root: ProxmoxClient): Promise<string> {
  for (const line of script.split('\n')) {
    const [, user] = /^pveum user add (\S+)/.exec(line) ?? [];
    const [, role, privileges] = /^pveum role add (\S+) --privs (\S+)/.exec(line) ?? [];
    const [, path, who, granted] = /^pveum acl modify (\S+) --users (\S+) --roles (\S+)/.exec(line) ?? [];
    if (user) await root.createUser(user);
    if (role && privileges) await root.createRole(role, privileges.split(','));
    if (path && who && granted) await root.grant({ path, users: [who], roles: [granted], tokens: [] });
  }
  const [, user = '', id = ''] = /^pveum user token add (\S+) (\S+) --privsep 0/m.exec(script) ?? [];
  const { fullTokenId, secret } = await root.createToken(user, id, { privilegeSeparation: false });
  return `${fullTokenId}=${secret}`;
}

describe('init on a Proxmox', () => {
  let lab: CliFolder;
  let folder: CliFolder;
  beforeAll(async () => {
    lab = CliFolder.make();
    ended(await lab.lab('init'));
  });
  afterAll(() => {
    lab.remove();
    folder?.remove();
  });

  it('finds everything on the lab: the config is valid, doctor has nothing to say, and there is a plan', async () => {
    const config = read(lab, 'oxherd.yaml');
    expect(config).toMatch(/^# yaml-language-server: \$schema=\.oxherd\/oxherd\.schema\.json\n/);
    expect(config).toContain('hosts: [pve1, pve2, pve3]');
    expect(config).toContain('# renovate: datasource=github-releases depName=siderolabs/talos');
    expect(existsSync(join(lab.path, '.oxherd/oxherd.schema.json'))).toBe(true);
    expect(ended(await lab.lab('doctor'))).toMatch(/ 0 warnings, 0 failures/);
    expect(ended(await lab.lab('plan'))).toMatch(/create 12 VMs/);
  });

  it('needs a fingerprint that was confirmed and the rights of the script, and no more', async () => {
    folder = CliFolder.make();
    const script = ended(await folder.run(['init', '--token-script']));
    await lab.withLab(async ({ lab: { endpoint, fingerprint }, hand }) => {
      const token = await runScript(script, hand);
      const env = { OXHERD_PROXMOX_TOKEN: token };
      const init = ['init', '--endpoint', endpoint];
      const unseen = await folder.run(init, { env });
      expect(unseen).toMatchObject({
        exit: 1,
        stderr: expect.stringContaining(`--fingerprint ${fingerprint}`),
      });
      expect(existsSync(join(folder.path, 'oxherd.yaml'))).toBe(false);

      ended(await folder.run([...init, '--fingerprint', fingerprint, '--subnet', '192.0.2.0/24'], { env }));
      const config = read(folder, 'oxherd.yaml');
      expect(config).toContain(`fingerprint: ${fingerprint}`);
      expect(config).not.toContain(token.split('=')[1]);
      expect(read(folder, '.gitignore')).toContain('.oxherd/');
      const doctor = await folder.run(['doctor', '--offline'], { env });
      // The lab's time is its own.
      const wrong = doctor.stdout.split('\n').filter((line) => /^ +(FAIL|warn) /.test(line));
      expect(wrong.filter((line) => !line.includes('behind this computer'))).toEqual([]);
      expect(doctor.stdout).toContain('the token has all that the design needs');
    });
  }, 120_000);

  it('asks with what was found as the default, so that Enter is enough', async () => {
    const other = lab.copy();
    try {
      const typed = Object.fromEntries(
        [
          'cluster called',
          'hosts run it',
          'network are the nodes',
          'its gateway',
          'many control planes',
          'many workers',
          'shall the control planes share',
          'Talos version',
          'Kubernetes version',
        ].map((question) => [question, ENTER]),
      );
      ended(await other.run(['--lab', 'init', '--force'], { typed }));
      expect(read(other, 'oxherd.yaml')).toBe(read(lab, 'oxherd.yaml'));
    } finally {
      other.remove();
    }
  });
});
