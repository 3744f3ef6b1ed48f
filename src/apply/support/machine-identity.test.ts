import { describe, expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import type { TalosClient } from '../../clients/talos/client.js';
import { checkIdentity } from './machine-identity.js';

const UUID = '0f6c1c1e-0000-4000-8000-000000000151';
const machine = (spec: unknown) => partOf<Pick<TalosClient, 'get'>>({ get: async () => ({ spec }) });
const check = (spec: unknown, uuid: string | undefined = UUID) =>
  checkIdentity(machine(spec), { node: 'work-1', ip: '10.0.0.51', ...(uuid !== '' && { uuid }) });

describe('the machine that answers', () => {
  it('is the one whose uuid its VM has', async () => {
    await check({ uuid: UUID.toUpperCase() });
    // Nothing to compare with: the VM has none.
    await check({}, '');
  });

  it('is not trusted where it has another one, or does not tell', async () => {
    await expect(check({ uuid: '1' })).rejects.toThrow('another machine than that of work-1 answers');
    await expect(check({})).rejects.toThrow('does not tell its SMBIOS uuid');
    const silent = { get: () => Promise.reject(new Error('permission denied')) } as never;
    await expect(checkIdentity(silent, { ip: '10.0.0.51', uuid: UUID })).rejects.toThrow('permission denied');
  });
});
