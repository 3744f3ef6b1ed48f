import { describe, expect, it } from 'vitest';
import { config } from '../../test/support/design/config.js';
import { emptyProxmox } from '../../test/support/plan/observed.js';
import { design } from '../design/design-cluster.js';
import type { PlanContext } from './input.js';
import { drafted, draftOf, withoutSteps } from './planned.js';

const GIVEN: PlanContext = {
  design: design(config()),
  namedHosts: new Map(),
  observed: emptyProxmox(),
  asked: { restart: [], replace: [], fresh: [] },
  list: { steps: [] },
  resets: new Map(),
  problems: [],
  notes: [],
};

const pool = (given: PlanContext, name: string) =>
  drafted(given, ({ list, notes }) => {
    notes.push({ code: 'advice', message: name });
    return list.add(name, {
      kind: 'create-pool',
      title: `create pool ${name}`,
      impact: 'none',
      pool: name,
      comment: '',
    });
  });

describe('a planner', () => {
  it('gives back what it planned and leaves what it was given', () => {
    const planned = pool(GIVEN, 'one');
    expect(planned).toMatchObject({ value: 'create-pool:one', steps: [{ pool: 'one' }], problems: [] });
    expect(GIVEN.list.steps).toEqual([]);
    expect(GIVEN.notes).toEqual([]);
  });

  it('sees what was taken over before it, under the names it has there', () => {
    const context = draftOf(GIVEN);
    const copy = { ...context };
    context.take(pool(context, 'one'));
    context.take(pool(copy, 'two'));
    expect(context.list.steps.map(({ id }) => id)).toEqual(['create-pool:one', 'create-pool:two']);
    expect(context.notes.map(({ message }) => message)).toEqual(['one', 'two']);
    expect(() => pool(context, 'two')).toThrow('two steps create-pool:two');
  });

  it('can be left with its notes and without its steps', () => {
    const context = draftOf(GIVEN);
    context.take(pool(context, 'one'));
    context.take(withoutSteps(context, pool(context, 'two')));
    expect(context.list.steps.map(({ id }) => id)).toEqual(['create-pool:one']);
    expect(context.notes.map(({ message }) => message)).toEqual(['one', 'two']);
  });
});
