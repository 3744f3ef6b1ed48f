import { describe, expect, it } from 'vitest';
import { deleteOptions, writeOptions } from './options.js';

const write = (method: string, query: string, apply = false) =>
  writeOptions({ method, query: new URLSearchParams(query), userAgent: 'tool/1.0', apply });

describe('options of a write', () => {
  it.each([
    ['POST', 'dryRun=Some', 'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]'],
    ['PUT', 'fieldValidation=Loose', 'UpdateOptions.meta.k8s.io "" is invalid: fieldValidation'],
    ['PATCH', 'force=true', 'force: Forbidden: may not be specified for non-apply patch'],
    ['POST', `fieldManager=${'m'.repeat(129)}`, 'fieldManager: Too long: may not be more than 128 bytes'],
    ['POST', 'fieldManager=a%09', 'invalid character U+0009 (at position 1)'],
  ])('%s with %s are refused', (method, query, message) => {
    expect(() => write(method, query)).toThrow(message);
  });

  it('need a manager for an apply, and take whatever is not a no for force', () => {
    expect(() => write('PATCH', '', true)).toThrow('fieldManager: Required value');
    expect(write('PATCH', 'fieldManager=x&force=1', true).force).toBe(true);
    expect(write('PATCH', 'fieldManager=x&force=False', true).force).toBe(false);
  });

  it('are not looked at where nothing is written', () => {
    expect(write('GET', 'dryRun=Some').manager).toBe('tool');
  });
});

describe('options of a delete', () => {
  const none = new URLSearchParams();

  it('come from the query where there is no body', () => {
    const query = new URLSearchParams('gracePeriodSeconds=5&propagationPolicy=Orphan');
    expect(deleteOptions(undefined, query)).toMatchObject({
      gracePeriodSeconds: 5,
      propagationPolicy: 'Orphan',
    });
  });

  it('leave at least a second where less than nothing is asked for', () => {
    expect(deleteOptions({ gracePeriodSeconds: -1 }, none).gracePeriodSeconds).toBe(1);
  });

  it.each([
    [{ orphanDependents: true, propagationPolicy: 'Orphan' }, 'cannot be both set'],
    [{ propagationPolicy: 'Sideways' }, 'propagationPolicy: Unsupported value'],
    [{ dryRun: ['None'] }, 'dryRun: Unsupported value: ["None"]'],
  ])('%j are refused', (body, message) => {
    expect(() => deleteOptions(body, none)).toThrow(message);
  });
});
