import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testContext } from '../../../../test/support/cli/context.js';
import { EXIT, type GlobalOptions } from '../../context.js';
import { run } from './qm.js';

const FILE = `
cluster: { name: homelab, env: dev, vip: 10.20.30.40, kubernetes: v1.36.0 }
talos:
  version: v1.14.1
  schematic: { customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent] } } }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: homelab, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
nodes:
  cp:   { role: controlplane, count: 3, hosts: [pve1, pve2, pve3], ip: 10.20.30.41, vmid: 141 }
  work: { role: worker,       count: 3, hosts: [pve1, pve2, pve3], ip: 10.20.30.51, vmid: 151 }
volumes:
  longhorn: { type: disk, size: 50GiB, on: worker }
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-export-qm-'));
  writeFileSync(join(folder, 'oxherd.yaml'), FILE);
});
afterEach(() => rmSync(folder, { recursive: true }));

function setUp(globals: Partial<GlobalOptions> = {}) {
  const { context, stdout } = testContext(folder, globals);
  const exportTo = (out: string) => run(context, { args: [], options: { out } });
  return { exportTo, printed: stdout };
}

describe('oxherd export qm', () => {
  it('writes one file per VM and nothing else', async () => {
    const { exportTo, printed } = setUp();
    expect(await exportTo('out')).toBe(EXIT.done);
    const vmids = [141, 142, 143, 151, 152, 153].flatMap((vmid) => [vmid, vmid * 10]);
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(vmids.map((vmid) => `${vmid}.conf`).sort());
    expect(printed()).toBe('wrote 12 files to out\n');
    expect(readFileSync(join(folder, 'out', '151.conf'), 'utf8')).toMatch(
      /^scsi2: local-zfs:vm-1510-disk-1,.*backup=1,.*size=50G,ssd=1,wwn=0x3[0-9a-f]{15}$/m,
    );
  });

  it('says as JSON what it wrote', async () => {
    const { exportTo, printed } = setUp({ json: true });
    await exportTo('out');
    expect(JSON.parse(printed())).toMatchObject({
      directory: join(folder, 'out'),
      files: expect.arrayContaining(['141.conf']),
    });
  });

  it('says what to do where it cannot write', async () => {
    const { exportTo } = setUp();
    await expect(exportTo('oxherd.yaml')).rejects.toMatchObject({ code: 'export.unwritable' });
  });
});
