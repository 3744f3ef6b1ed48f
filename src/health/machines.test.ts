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

  it('refusing us is a matter of secrets', () => {
    const refused = answers({ presence: 'configured', details: unknown('it refuses our certificate') });
    expect(refused?.advice).toMatch(/secrets file/);
  });

  it('that answers is well', () => {
    const details = { services: [], volumes: [], unmet: [], config: known({ hash: '', redacted: '' }) };
    expect(answers({ presence: 'configured', details: known(details) })?.state).toBe('ok');
  });
});
