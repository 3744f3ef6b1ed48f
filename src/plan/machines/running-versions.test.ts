import { describe, expect, it } from 'vitest';
import { formatVersion } from '../../model/version.js';
import { known, unknown } from '../../observe/observed.js';
import type { MachineDetails } from '../../observe/observed-machines.js';
import { runningVersions } from './running-versions.js';

function machine(node: string, talosVersion: string, kubelet: string) {
  const details: MachineDetails = {
    talosVersion,
    schematic: known(undefined),
    timeSynced: known(true),
    stage: 'running',
    ready: true,
    unmet: [],
    config: known({ hash: '', redacted: JSON.stringify({ image: `ghcr.io/siderolabs/kubelet:${kubelet}` }) }),
    services: [],
    volumes: [],
  };
  return { node, presence: 'configured', details: known(details) } as const;
}

describe('running versions', () => {
  it('are the lowest and the highest, by machine and by the kubelet of its config', () => {
    const running = runningVersions(
      { machines: { a: machine('a', 'v1.14.1', 'v1.36.0'), b: machine('b', 'v1.13.9', 'v1.36.2') } },
      ['a', 'b'],
    );
    expect(running && Object.values(running.lowest).map(formatVersion)).toEqual(['v1.13.9', 'v1.36.0']);
    expect(running && Object.values(running.highest).map(formatVersion)).toEqual(['v1.14.1', 'v1.36.2']);
  });

  it('count the named nodes alone, and are unknown where none answers', () => {
    const off = { node: 'b', presence: 'off', details: unknown<MachineDetails>('off') } as const;
    const all = { machines: { a: machine('a', 'v1.14.1', 'v1.36.0'), b: off } };
    expect(runningVersions(all, ['b'])).toBeUndefined();
    expect(runningVersions(all, ['a', 'b'])?.nodes.map(({ node }) => node)).toEqual(['a']);
  });
});
