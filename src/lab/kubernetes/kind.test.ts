import { expect, it } from 'vitest';
import { memoryStore } from '../store.js';
import { chooseKind, keepKind } from './kind.js';

it('is the lab’s own unless asked, and stays what it was once there is a cluster', () => {
  const store = memoryStore();
  expect(chooseKind(store, undefined)).toBe('simulated');
  expect(chooseKind(store, 'real')).toBe('real');
  keepKind(store, 'real');
  expect(chooseKind(store, undefined)).toBe('real');
  expect(() => chooseKind(store, 'simulated')).toThrow('the Kubernetes of this lab is real, not simulated');
});
