/** What a token needs to make and change VMs, on `/`. None can be left out: test/property/provisioner-rights.test.ts. */
export const PROVISIONER_PRIVILEGES = [
  'Datastore.AllocateSpace',
  'Datastore.AllocateTemplate',
  'Datastore.Audit',
  'SDN.Use',
  'Sys.AccessNetwork',
  'Sys.Audit',
  'VM.Allocate',
  'VM.Audit',
  'VM.Config.CDROM',
  'VM.Config.CPU',
  'VM.Config.Disk',
  'VM.Config.HWType',
  'VM.Config.Memory',
  'VM.Config.Network',
  'VM.Config.Options',
  'VM.GuestAgent.Audit',
  'VM.PowerMgmt',
] as const;

/** And on `/pool`, for the lock. */
export const LOCK_PRIVILEGES = ['Pool.Allocate', 'Pool.Audit'] as const;
