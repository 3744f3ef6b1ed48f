import { fromBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResourceDefinitionSpecSchema } from '../../../clients/talos/gen/cosi/resource/meta_pb.js';
import { protoSpec } from './proto-spec.js';

const base64 = (type: string, spec: unknown) => Buffer.from(protoSpec(type, spec) ?? []).toString('base64');

describe('specs on the wire', () => {
  it('are the bytes that Talos sends', () => {
    // From the recordings: `maintenance: COSI Get MachineStatus`, `worker: COSI MachineStatus`.
    const status = (stage: string) => ({ stage, status: { ready: true, unmetConditions: [] } });
    expect(base64('MachineStatuses.runtime.talos.dev', status('maintenance'))).toBe('CAMSAggB');
    expect(base64('MachineStatuses.runtime.talos.dev', status('running'))).toBe('CAQSAggB');
  });

  it('of a machine config are its text', () => {
    const text = 'version: v1alpha1\n---\nkind: HostnameConfig\n';
    const bytes = Buffer.from(protoSpec('MachineConfigs.config.talos.dev', text) ?? []);
    expect(bytes.subarray(2).toString()).toBe(text);
  });

  it('of kinds without a shape are left out', () => {
    expect(protoSpec('Nothing.talos.dev', {})).toBeUndefined();
  });

  it('have addresses, numbers, flags and enumerations as the kernel has them', () => {
    expect(base64('NodeAddresses.net.talos.dev', { addresses: ['10.0.0.5/24'], sortAlgorithm: 'v1' })).toBe(
      Buffer.from([10, 8, 10, 4, 10, 0, 0, 5, 16, 24]).toString('base64'),
    );
    const link = { index: 2, flags: 'UP,RUNNING', operationalState: 'up', mtu: 1500 };
    expect([...(protoSpec('LinkStatuses.net.talos.dev', link) ?? [])]).toEqual([
      8, 2, 32, 65, 56, 220, 11, 80, 6,
    ]);
  });

  it('of definitions are read back by their own schema', () => {
    const text = fc.stringMatching(/^[A-Za-z0-9 ]{0,12}$/);
    const definition = fc.record({
      type: text,
      displayType: text,
      defaultNamespace: text,
      aliases: fc.array(text.filter(Boolean)),
      allAliases: fc.array(text.filter(Boolean)),
      printColumns: fc.array(fc.record({ name: text, jsonPath: text })),
    });
    fc.assert(
      fc.property(definition, (spec) => {
        const bytes = protoSpec('ResourceDefinitions.meta.cosi.dev', spec) ?? new Uint8Array();
        const { type, ...rest } = spec;
        expect(fromBinary(ResourceDefinitionSpecSchema, bytes)).toMatchObject({
          ...rest,
          resourceType: type,
        });
      }),
      { numRuns: 50 },
    );
  });
});
