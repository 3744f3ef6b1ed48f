import { gzipSync } from 'node:zlib';
import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, it } from 'vitest';
import { talosError } from './classify.js';
import { readableKey } from './connection.js';
import { readKubeconfigArchive } from './kubeconfig-archive.js';
import { probe } from './probe.js';
import { hasLifecycleService } from './upgrade.js';

describe('errors', () => {
  it.each([
    [new ConnectError('bootstrap is not available yet', Code.FailedPrecondition), 'talos.not-ready'],
    [new ConnectError('not authorized', Code.PermissionDenied), 'talos.forbidden'],
    [new ConnectError('etcd data directory is not empty', Code.AlreadyExists), 'talos.already-exists'],
    [
      new ConnectError(
        'read',
        Code.Internal,
        undefined,
        undefined,
        withCode('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'),
      ),
      'talos.certificate-required',
    ],
    [
      new ConnectError('x', Code.Unknown, undefined, undefined, withCode('DEPTH_ZERO_SELF_SIGNED_CERT')),
      'talos.untrusted',
    ],
    [withCode('ECONNREFUSED'), 'talos.unreachable'],
    [withCode('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'), 'talos.other-secrets'],
    [withCode('ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE'), 'talos.other-secrets'],
    [withCode('ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE'), 'talos.other-secrets'],
    [withCode('ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED'), 'talos.certificate-refused'],
    [withCode('ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED'), 'talos.certificate-refused'],
  ])('%s is %s', (error, code) => {
    const failure = talosError(error, '10.0.0.1:50000');
    expect(failure.code).toBe(code);
    expect(failure.where).toBe('10.0.0.1:50000');
    expect(failure.advice).toBeTruthy();
  });
});

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe('the kubeconfig archive', () => {
  const text = 'apiVersion: v1\n';
  function archive(name: string, content: string): Buffer {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(content.length.toString(8).padStart(11, '0'), 124);
    return gzipSync(Buffer.concat([header, Buffer.from(content)]));
  }

  it('is read although no one closed it', () => {
    expect(readKubeconfigArchive(archive('kubeconfig', text))).toBe(text);
  });

  it('is refused when it holds something else', () => {
    expect(() => readKubeconfigArchive(archive('passwd', text))).toThrow('no kubeconfig');
  });
});

it('finds no one where the dial table has nothing', async () => {
  expect(await probe('10.0.0.1', { dial: () => undefined })).toBe('absent');
  expect(await probe('10.0.0.1', { dial: () => ({ host: '127.0.0.1', port: 1 }) })).toBe('absent');
});

it.each([
  ['v1.12.4', false],
  ['v1.13.0', true],
  ['v1.14.0-beta.1', true],
  ['', false],
])('knows whether Talos %s upgrades through LifecycleService', (version, has) => {
  expect(hasLifecycleService(version)).toBe(has);
});

it('relabels the keys that Talos writes', () => {
  expect(readableKey('-----BEGIN ED25519 PRIVATE KEY-----')).toBe('-----BEGIN PRIVATE KEY-----');
});
