import { describe, expect, it } from 'vitest';
import {
  describeHolder,
  type Holder,
  hasEnded,
  type ProcessSight,
  parseHolder,
  printHolder,
} from './holder.js';

const us: Holder = {
  token: '00000000000000aa',
  host: 'desk',
  bootId: 'boot',
  pidNamespace: 'pid:[1]',
  pid: 7,
  started: '100',
  runId: 'us',
  since: 'now',
};
const them: Holder = { ...us, token: '00000000000000bb', pid: 8, runId: 'them' };
const none: ProcessSight = { alive: false };

describe('a holder has ended', () => {
  const ended = (holder: Holder, sight: ProcessSight, active: readonly string[] = [], self = us) =>
    hasEnded(holder, self, () => sight, new Set(active));

  it.each<[string, Holder, ProcessSight]>([
    ['there is no such process', them, none],
    ['another process has its id', them, { alive: true, started: '200' }],
    ['it is a run of this process that is over', { ...them, pid: 7 }, { alive: true, started: '100' }],
    ['its process had our id before us', { ...them, pid: 7, started: '50' }, { alive: true, started: '100' }],
  ])('where %s', (_, holder, sight) => {
    expect(ended(holder, sight)).toBe(true);
  });

  it.each<[string, Partial<Holder>, ProcessSight]>([
    ['its process lives', {}, { alive: true, started: '100' }],
    ['the system does not say when the process began', {}, { alive: true }],
    ['the holder did not say when it began', { started: undefined }, { alive: true, started: '200' }],
    ['the computer was started since, or is another one', { bootId: 'other' }, none],
    ['the boot is unknown', { bootId: undefined }, none],
    ['it is another container', { pidNamespace: 'pid:[2]' }, none],
    ['the container is unknown', { pidNamespace: undefined }, none],
  ] as [string, Partial<Holder>, ProcessSight][])('not where %s', (_, more, sight) => {
    const holder = parseHolder(JSON.stringify({ ...them, ...more }));
    expect(ended(holder, sight)).toBe(false);
  });

  it('not while a run of this process goes on', () => {
    expect(ended({ ...them, pid: 7 }, none, [them.token])).toBe(false);
  });

  it('never where we do not know our own boot', () => {
    const { bootId: _, ...self } = us;
    const { bootId: __, ...holder } = them;
    expect(ended(holder, none, [], self)).toBe(false);
  });
});

describe('the comment of a lock', () => {
  it('is read as it was written', () => {
    expect(parseHolder(printHolder(us))).toEqual(us);
  });

  it.each(['', 'kept by hand', '[]', 'null', '{"pid":"x","host":7}', '{"token":"../../x","host":"h"}'])(
    'has an identity of its own where oxherd did not write it: %s',
    (comment) => {
      const holder = parseHolder(comment);
      expect(holder.token).toMatch(/^[0-9a-f]{16}$/);
      expect(parseHolder(comment).token).toBe(holder.token);
      expect(parseHolder(`${comment} `).token).not.toBe(holder.token);
      expect(hasEnded(holder, us, () => none, new Set())).toBe(false);
    },
  );

  it('cannot write to the terminal', () => {
    const holder = parseHolder(JSON.stringify({ ...us, host: 'a\u001b[2Jb\u202ec', runId: 'r\nerror: x' }));
    expect(describeHolder(holder)).toBe('process 7 on a[2Jbc since now (run rerror: x)');
  });
});
