/** Each row of the module's tables of variables: its default, and where a value goes. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CLUSTER_ROWS } from '../../../test/support/config/from-tfvars/module-cluster-rows.js';
import { BASE, config, FILES } from '../../../test/support/config/from-tfvars/module-file.js';
import { NODE_ROWS } from '../../../test/support/config/from-tfvars/module-node-rows.js';
import { required } from '../../../test/support/config/from-tfvars/module-row.js';
import { loadTfvars } from './load.js';

const DOCS = readFileSync(new URL('../../../docs/coming-from.md', import.meta.url), 'utf8');
const ROWS = [...CLUSTER_ROWS, ...NODE_ROWS];

describe('rows of the module’s tables', () => {
  it.each(ROWS.filter((row) => row.byDefault !== required))(
    '$row: default',
    ({ byDefault, read, always }) => {
      expect(read(config(always ?? {}))).toEqual(byDefault);
    },
  );

  it.each(ROWS.filter((row) => row.byDefault === required))('$row: required', ({ row }) => {
    const key = row.split('.')[1] ?? '';
    const lines = new RegExp(`^\\s+${key}\\s+=`);
    const text = BASE.split('\n')
      .filter((line) => !lines.test(line))
      .join('\n');
    const { config: loaded, diagnostics } = loadTfvars({
      files: [{ path: 'terraform.tfvars', name: 'terraform.tfvars', text }],
      readText: (path) => FILES[path],
    });
    expect(loaded).toBeUndefined();
    expect(diagnostics.map((each) => each.message).join('\n')).toContain(`needs \`${key}\``);
  });

  it.each(ROWS)('$row: given', ({ given, meant, read, always }) => {
    expect(read(config({ ...always, ...given }))).toEqual(meant);
  });

  it('cluster.subnet_mask and cluster.gateway give the network', () => {
    expect(config({ cluster: '  subnet_mask = 20' }).network.subnet).toEqual({
      network: '10.20.16.0',
      prefix: 20,
    });
  });

  it.each(ROWS)('$row: is in docs/coming-from.md', ({ row }) => {
    const [variable, key] = row.split('.');
    expect(DOCS).toContain(key === undefined ? `\`${variable}\`` : `\`${variable}.${key}\``);
  });
});
