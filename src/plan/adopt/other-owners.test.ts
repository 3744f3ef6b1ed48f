import { describe, expect, it } from 'vitest';
import { builtProxmox } from '../../../test/support/plan/observed.js';
import { configOf } from '../../../test/support/vm-site.js';
import { design } from '../../design/design-cluster.js';
import { known, type Observed } from '../../observe/observed.js';
import { visibleVm, withVms } from '../../observe/observed-vms.js';
import { otherOwners } from './other-owners.js';

const TEXT = `
cluster: { name: theirs, kubernetes: v1.36.0, scheduleOnControlPlanes: true }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
nodes:
  cp-1: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 141, cores: 2, memory: 4GiB, disk: 6GiB }
`;
const CONFIG = configOf(TEXT);
const NONE = { capi: {}, released: false };

/** The VM with another tag, the machine with these documents in its config. */
function world({ tag, documents = [] }: { tag?: string; documents?: readonly object[] } = {}): Observed {
  const observed = builtProxmox(CONFIG);
  const vm = visibleVm(observed, 141);
  if (!vm) throw new Error('there is no VM');
  const config = known({ hash: '', redacted: JSON.stringify(documents) });
  const details = known({
    talosVersion: 'v1.14.1',
    schematic: known(undefined),
    timeSynced: known(true),
    stage: 'running',
    ready: true,
    unmet: [],
    config,
    services: [],
    volumes: [],
  });
  return {
    ...observed,
    vms: withVms(observed.vms, [{ ...vm, tags: [...vm.tags, ...(tag === undefined ? [] : [tag])] }]),
    machines: { 'cp-1': { node: 'cp-1', presence: 'configured', details } },
  };
}

const owners = (observed: Observed, facts: Parameters<typeof otherOwners>[2] = NONE) =>
  otherOwners(design(CONFIG), observed, facts).map(({ code, message, advice }) => ({
    code,
    message,
    advice,
  }));

describe('another owner', () => {
  it('is no one where nothing says so', () => {
    expect(owners(world())).toEqual([]);
  });

  it.each([
    ['its machine config', world({ documents: [{ kind: 'SideroLinkConfig' }] })],
    ['a tag', world({ tag: 'omni' })],
  ])('is Omni by %s', (_, observed) => {
    const [owner] = owners(observed);
    expect(owner).toMatchObject({ code: 'cluster.omni', advice: expect.stringContaining('omnictl') });
  });

  it('is Cluster API by its Machine, or by a tag', () => {
    const [machine] = owners(world(), { ...NONE, capi: { 'cp-1': 'Machine cp-abc' } });
    expect(machine).toMatchObject({
      code: 'cluster.capi',
      message: expect.stringContaining('Machine cp-abc'),
    });
    expect(machine?.advice).toContain('"paused":true');
    const full = design(configOf(TEXT.replace('cp-1:', 'cp-1.example.com:')));
    // Kubernetes has a node under the first label of its host name.
    const facts = { ...NONE, capi: { 'cp-1': 'Machine cp-abc' } };
    expect(otherOwners(full, builtProxmox(configOf(TEXT)), facts)).toMatchObject([{ code: 'cluster.capi' }]);
    expect(owners(world({ tag: 'capmox' }))[0]?.code).toBe('cluster.capi');
  });

  it('is Terraform by its state, whatever a person says of the tags', () => {
    const terraform = [{ vmid: 1410, address: 'module.talos.vm.data["cp-1"]', file: 'terraform.tfstate' }];
    const [owner] = owners(world(), { capi: {}, released: true, terraform });
    expect(owner).toMatchObject({ code: 'cluster.terraform' });
    expect(owner?.advice).toBe(`release it there: terraform state rm 'module.talos.vm.data["cp-1"]'`);
    expect(
      owners(world(), { ...NONE, terraform: [{ ...terraform[0], vmid: 999, address: '', file: '' }] }),
    ).toEqual([]);
  });

  it('may be Terraform by a tag, until a person says that it was released', () => {
    const tagged = world({ tag: 'terraform' });
    expect(owners(tagged)[0]?.advice).toContain('oxherd adopt --released');
    expect(owners(tagged, { ...NONE, released: true })).toEqual([]);
  });
});
