import { describe, expect, it } from 'vitest';
import { grantCommands, grantsFor } from './grant.js';

describe('granting', () => {
  const missing = [
    { path: '/vms/141', privilege: 'VM.Audit' },
    { path: '/vms/1410', privilege: 'VM.Allocate' },
    { path: '/storage/local', privilege: 'Datastore.Audit' },
    { path: '/', privilege: 'Sys.Audit' },
  ];

  it('gives rights on VMs where they outlive the VM, each kind its own role', () => {
    expect(grantsFor(missing)).toEqual([
      { role: 'oxherd-vms', privileges: ['VM.Allocate', 'VM.Audit'], paths: ['/vms'] },
      { role: 'oxherd-storage', privileges: ['Datastore.Audit'], paths: ['/storage/local'] },
      { role: 'oxherd-cluster', privileges: ['Sys.Audit'], paths: ['/'] },
    ]);
  });

  it('grants the user and the token, and extends a role that is there', () => {
    const [grant] = grantsFor(missing);
    if (!grant) throw new Error('no grant');
    const acl = "pveum acl modify /vms --users ox@pve --tokens 'ox@pve!main' --roles oxherd-vms";
    const list = 'VM.Allocate,VM.Audit';
    expect(grantCommands(grant, 'ox@pve!main', [])).toEqual([
      `pveum role add oxherd-vms --privs ${list}`,
      acl,
    ]);
    expect(grantCommands(grant, 'ox@pve!main', ['oxherd-vms'])).toEqual([
      `pveum role modify oxherd-vms --append 1 --privs ${list}`,
      acl,
    ]);
  });
});
