import { describe, expect, it } from 'vitest';
import { OxherdError } from './error.js';

const failed = (code: string, more: object) =>
  Object.assign(new Error(`${code}: raw words of Node`), { code, ...more });

describe('an error of the file system', () => {
  it.each([
    ['ENOENT', { path: '/a/plan.json', syscall: 'open' }, '/a/plan.json does not exist'],
    ['EISDIR', { path: '/a/.x.tmp', dest: '/a/out', syscall: 'rename' }, '/a/out is a folder'],
    ['EACCES', { path: '/a/key', syscall: 'open' }, '/a/key is not permitted for this user'],
    ['ENOSPC', { path: '/a/out', syscall: 'write' }, '/a/out does not fit: no space is left'],
  ])('%s is told in words, with what to do', (code, more, message) => {
    const error = OxherdError.from(failed(code, more));
    expect(error).toMatchObject({ code: 'file.failed', message });
    expect(error.advice).toBeTruthy();
  });

  it.each(['ENOSPC', 'EDQUOT'])('%s of a write, which names no file, is no bug', (code) => {
    const error = OxherdError.from(failed(code, { syscall: 'write' }));
    expect(error).toMatchObject({ code: 'file.failed', advice: 'free some space, then run it again' });
    expect(OxherdError.from(failed(code, { syscall: 'write' }), 'unexpected', '/a/out').message).toMatch(
      /^\/a\/out does not fit/,
    );
  });

  it.each([
    ['ENOENT', { path: 'kubectl', syscall: 'spawn kubectl' }],
    ['ECONNREFUSED', { syscall: 'connect' }],
    ['ENOENT', { syscall: 'read' }],
  ])('%s of something else stays what it is', (code, more) => {
    expect(OxherdError.from(failed(code, more))).toMatchObject({ code: 'unexpected' });
  });
});
