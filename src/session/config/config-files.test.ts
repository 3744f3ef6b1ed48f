import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configFiles } from './config-files.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-config-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function make(...names: string[]): void {
  for (const name of names) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), '');
  }
}

describe('which files -c means', () => {
  it('oxherd.yaml itself, whatever it is called', () => {
    make('prod.yaml');
    expect(configFiles(folder, 'prod.yaml')).toEqual({ kind: 'yaml', path: 'prod.yaml' });
  });

  it('terraform.tfvars with the files that Terraform reads beside it, in its order', () => {
    make('terraform.tfvars', 'b.auto.tfvars', 'a.auto.tfvars.json', 'terraform.tfvars.json', 'prod.tfvars');
    expect(configFiles(folder, 'terraform.tfvars')).toEqual({
      kind: 'tfvars',
      paths: ['terraform.tfvars', 'terraform.tfvars.json', 'a.auto.tfvars.json', 'b.auto.tfvars'],
    });
  });

  it('other variable files alone, or several by name', () => {
    make('base.tfvars', 'prod.tfvars', 'a.auto.tfvars');
    expect(configFiles(folder, 'prod.tfvars')).toEqual({ kind: 'tfvars', paths: ['prod.tfvars'] });
    expect(configFiles(folder, 'base.tfvars, prod.tfvars')).toEqual({
      kind: 'tfvars',
      paths: ['base.tfvars', 'prod.tfvars'],
    });
  });

  it('a folder, by what is in it', () => {
    make('t/cluster.yaml', 't/nodes.yaml', 'm/terraform.tfvars', 'o/oxherd.yaml', 'o/terraform.tfvars');
    expect(configFiles(folder, 't')).toEqual({ kind: 'template', folder: 't' });
    expect(configFiles(folder, 't/nodes.yaml')).toEqual({ kind: 'template', folder: 't' });
    expect(configFiles(folder, 'm')).toEqual({ kind: 'tfvars', paths: ['m/terraform.tfvars'] });
    expect(configFiles(folder, 'o')).toEqual({ kind: 'yaml', path: 'o/oxherd.yaml' });
  });
});
