import { describe, expect, it } from 'vitest';
import { codeOfText, parsePermission, refused } from './classify.js';

const asked = {
  method: 'POST',
  path: '/nodes/pve1/qemu',
  endpoint: 'https://pve1.lan:8006',
  tokenId: 'oxherd@pve!main',
};

describe('what a refusal means', () => {
  // Texts as recorded from Proxmox VE 9.2.
  it.each([
    [500, "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout", 'proxmox.lock-timeout'],
    [500, 'got no worker upid - start worker failed', 'proxmox.lock-timeout'],
    [500, 'cluster not ready - no quorum?', 'proxmox.no-quorum'],
    [500, "create pool failed: cfs-lock 'file-user_cfg' error: no quorum!", 'proxmox.no-quorum'],
    [
      500,
      "unable to open file '/etc/pve/nodes/pve1/qemu-server/1340.conf.tmp.77' - Permission denied",
      'proxmox.no-quorum',
    ],
    [500, 'VM is locked (backup)', 'proxmox.locked'],
    [500, 'checksum mismatch (file change by other user?)', 'proxmox.digest'],
    [
      500,
      'VM 1141: detected modified configuration - file changed by other user? Try again.',
      'proxmox.digest',
    ],
    [500, "can't remove drive 'scsi0' - protection mode enabled", 'proxmox.protected'],
    [500, "service 'vm:152' in error state, must be disabled and fixed first", 'proxmox.ha-error'],
    [500, "hostname lookup 'nope' failed - failed to get address info for: nope", 'proxmox.unknown-host'],
    [500, "unable to create VM 1021 - VM 1021 already exists on node 'pve1'", 'proxmox.exists'],
    [500, "Configuration file 'nodes/pve1/qemu-server/1329.conf' does not exist", 'proxmox.not-found'],
    [500, "no such user ('gu@pve')", 'proxmox.not-found'],
    [500, 'VM 1070 is running - destroy failed', 'proxmox.failed'],
    [501, "Method 'GET /nope' not implemented", 'proxmox.not-implemented'],
    [595, 'Connection refused', 'proxmox.host-down'],
    [596, 'tls_process_server_certificate: certificate verify failed', 'proxmox.host-down'],
    [401, 'Authentication failed!', 'proxmox.unauthorized'],
  ])('%i %s', (status, message, code) => {
    expect(refused({ status, message }, asked).code).toBe(code);
  });

  it('names the path and the privilege of a 403, and how to grant it', () => {
    const error = refused({ status: 403, message: 'Permission check failed (/vms/301, VM.Audit)' }, asked);
    expect(error.permission).toEqual({ path: '/vms/301', privileges: ['VM.Audit'] });
    expect(error.advice).toContain("pveum acl modify /vms --users oxherd@pve --tokens 'oxherd@pve!main'");
    expect(error.advice).toContain('--privs VM.Audit');
  });

  it('takes alternatives and an empty path, as Proxmox writes them', () => {
    expect(
      parsePermission('Permission check failed (/storage/local, Datastore.Audit|Datastore.Allocate)'),
    ).toEqual({
      path: '/storage/local',
      privileges: ['Datastore.Audit', 'Datastore.Allocate'],
    });
    expect(parsePermission('Permission check failed (, Pool.Allocate)')).toEqual({
      path: '/',
      privileges: ['Pool.Allocate'],
    });
    expect(parsePermission('Permission check failed (user != root@pam)')).toBeUndefined();
  });

  it('keeps the errors of each parameter', () => {
    const error = refused(
      { status: 400, message: 'Parameter verification failed.', errors: { cores: 'type check failed\n' } },
      asked,
    );
    expect(error.code).toBe('proxmox.parameter');
    expect(error.errors).toEqual({ cores: 'type check failed' });
    expect(error.message).toContain('cores: type check failed');
  });

  it('is in doubt only where the request may have reached the other host', () => {
    expect(refused({ status: 595, message: '' }, asked).mayHaveHappened).toBe(false);
    expect(refused({ status: 596, message: '' }, asked).mayHaveHappened).toBe(true);
    expect(refused({ status: 500, message: 'VM is locked (backup)' }, asked).mayHaveHappened).toBe(false);
  });

  it('gives tasks the same names', () => {
    expect(codeOfText("refusing to override existing file '/var/lib/vz/template/iso/g1.iso'")).toBe(
      'proxmox.exists',
    );
    expect(codeOfText('shrinking disks is not supported')).toBe('proxmox.failed');
  });
});
