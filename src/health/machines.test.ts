import { describe, expect, it } from 'vitest';
import { partOf } from '../../test/support/part-of.js';
import type { Design } from '../design/design.js';
import { known, type Observed, unknown } from '../observe/observed.js';
import { machineConditions } from './machines.js';

const design = partOf<Design>({
  nodes: [{ name: 'cp-1', ip: '10.0.0.1', talosVm: { vmid: 141 }, drives: [] }],
});

const answers = (machine: object) =>
  machineConditions(design, partOf<Observed>({ machines: { 'cp-1': machine } }), {}).find(
    ({ name }) => name === 'machine-answers',
  );

describe('a machine that is away', () => {
  it('on its way back is waited for, by the next run too', () => {
    const why = 'it is rebooting';
    expect(answers({ presence: 'configured', details: unknown(why), onItsWay: why })).toMatchObject({
      state: 'failed',
      message: why,
      advice: expect.stringMatching(/^look again in a minute; `oxherd apply` waits for it and resumes/),
    });
    expect(answers({ presence: 'absent', details: unknown(why), onItsWay: why })?.advice).toMatch(
      /`oxherd apply` waits for it.*if it stays so, look at the console of VM 141/,
    );
  });

  it('is unknown if nothing says whether its VM runs', () => {
    const details = unknown('whether its VM runs is not known');
    expect(answers({ presence: 'unread', details })?.state).toBe('unknown');
  });

  it('refusing us is a matter of secrets', () => {
    const refused = answers({ presence: 'configured', details: unknown('it refuses our certificate') });
    expect(refused?.advice).toMatch(/secrets file/);
  });

  it('that answers is well', () => {
    const config = known({ hash: '', redacted: '' });
    const details = { services: [], volumes: [], unmet: [], config, timeSynced: known(true) };
    expect(answers({ presence: 'configured', details: known(details) })?.state).toBe('ok');
  });
});

describe('the keys of an encrypted volume', () => {
  const keys = [
    { slot: 0, nodeID: {} },
    { slot: 1, static: { passphrase: '(redacted)' } },
  ];
  const document = { kind: 'VolumeConfig', name: 'EPHEMERAL', encryption: { provider: 'luks2', keys } };
  const volume = (encryption?: object) => ({
    id: 'EPHEMERAL',
    phase: 'ready',
    ...(encryption && { encryption }),
  });
  const conditions = (encryption?: object) => {
    const config = known({ hash: '', redacted: JSON.stringify([document]) });
    const timeSynced = known(true);
    const details = known({ services: [], volumes: [volume(encryption)], unmet: [], config, timeSynced });
    const machine: object = { presence: 'configured', details };
    return machineConditions(design, partOf<Observed>({ machines: { 'cp-1': machine } }), {}).filter(
      ({ name }) => name === 'volume-keys',
    );
  };

  it('are as the config says if the first slot opened it', () => {
    expect(conditions({ slot: 0, failedSyncs: [] })).toMatchObject([{ state: 'ok', layer: 'volumes' }]);
    expect(conditions()).toEqual([]);
  });

  it('are not if a slot could not be written', () => {
    const reason = 'error adding key slot 0 *keys.NodeIDKeyHandler: entropy check failed';
    expect(conditions({ slot: 0, failedSyncs: [reason] })).toMatchObject([
      {
        state: 'failed',
        message: expect.stringContaining(reason),
        advice: expect.stringContaining('oxherd restart cp-1'),
      },
    ]);
  });

  it('are not if a later slot opened it', () => {
    expect(conditions({ slot: 1, failedSyncs: [] })).toMatchObject([
      {
        state: 'failed',
        message: expect.stringContaining('opened by key slot 1'),
        advice: expect.stringContaining('oxherd restart cp-1'),
      },
    ]);
  });
});
