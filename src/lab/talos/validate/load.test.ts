import { describe, expect, it } from 'vitest';
import { KIND_SINCE } from '../../../formats/gen/talos-shapes.js';
import { parseVersion } from '../../../model/version.js';
import { loadConfig } from './load.js';

const load = (text: string, version: string) => loadConfig(text, parseVersion(version));
const document = (kind: string) => `apiVersion: v1alpha1\nkind: ${kind}\n`;

describe('a machine that reads a config', () => {
  it('refuses documents that came after it, in its own words', () => {
    const text = `${document('HostnameConfig')}auto: stable\n---\n${document('SysctlConfig')}`;
    expect(() => load(text, 'v1.13.9')).toThrow(
      'error decoding document v1alpha1/SysctlConfig/ (line 5): "SysctlConfig" "v1alpha1": not registered',
    );
    expect(load(text, 'v1.14.1').documents).toHaveLength(2);
  });

  it.each(['v1.12.0', 'v1.13.9', 'v1.14.1'])(
    'of %s knows the kinds of its own version and before',
    (version) => {
      const minor = parseVersion(version)?.minor ?? 0;
      for (const [kind, since] of Object.entries(KIND_SINCE)) {
        const known = Number(String(since).split('.')[1]) <= minor;
        const read = () => load(document(kind), version);
        if (known) expect(read, kind).not.toThrow('not registered');
        else expect(read, kind).toThrow(`"${kind}" "v1alpha1": not registered`);
      }
    },
  );
});
