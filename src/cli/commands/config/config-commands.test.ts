/** validate, schema and init with a process of the test's own. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { testContext } from '../../../../test/support/cli/context.js';
import type { CommandInput, CommandModule, GlobalOptions } from '../../context.js';
import { requireConfig } from '../../require-config.js';
import * as init from './init.js';
import * as schema from './schema.js';
import * as validate from './validate.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-config-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const contextOf = (globals: Partial<GlobalOptions> = {}) => testContext(folder, globals);

async function runCommand(
  command: CommandModule,
  options: CommandInput['options'] = {},
  globals: Partial<GlobalOptions> = {},
) {
  const { context, stdout, stderr } = contextOf(globals);
  const code = await command.run(context, { args: [], options });
  return { code, stdout: stdout(), stderr: stderr() };
}

const FLAGS = {
  name: 'pen',
  endpoint: 'https://pve1:8006',
  hosts: 'pve1,pve2,pve3',
  subnet: '10.0.0.0/24',
  gateway: '10.0.0.1',
};

describe('init', () => {
  it('writes a file that validates', async () => {
    expect(await runCommand(init, FLAGS)).toMatchObject({ code: 0, stderr: '' });
    expect(await runCommand(validate)).toEqual({
      code: 0,
      stdout: 'oxherd.yaml is valid: 3 control planes, 3 workers, 0 volumes\n',
      stderr: '',
    });
  });

  it('makes an age key once, for its owner alone', async () => {
    const first = await runCommand(init, FLAGS);
    const key = /created the age key (\S+):/.exec(first.stdout)?.[1] ?? '';
    expect(key).toMatch(/sops\/age\/keys\.txt$/);
    expect(readFileSync(key, 'utf8')).toMatch(/^AGE-SECRET-KEY-1/m);
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(first.stdout).not.toContain('AGE-SECRET');
    const before = readFileSync(key, 'utf8');
    const second = await runCommand(init, { ...FLAGS, force: true }, { json: true });
    expect(JSON.parse(second.stdout)).toEqual({ file: 'oxherd.yaml', nodes: 6, notes: [] });
    expect(readFileSync(key, 'utf8')).toBe(before);
  });

  it('needs no key for the lab', async () => {
    expect((await runCommand(init, FLAGS, { lab: true })).stdout).not.toContain('age key');
    expect(readdirSync(folder)).toEqual(['.oxherd', 'oxherd.yaml']);
  });

  it('leaves nothing behind when the questions are cut off', async () => {
    const { context, stdout } = contextOf();
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
    const running = init.run(
      { ...context, stdin, stdout: Object.assign(context.stdout, { isTTY: true }) },
      { args: [], options: {} },
    );
    await vi.waitFor(() => expect(stdout()).toContain('?'));
    stdin.write('\x03');
    expect(await running).toBe(130);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('never overwrites without --force', async () => {
    writeFileSync(join(folder, 'oxherd.yaml'), 'mine\n');
    await expect(runCommand(init, FLAGS)).rejects.toMatchObject({ code: 'init.exists' });
    expect(readFileSync(join(folder, 'oxherd.yaml'), 'utf8')).toBe('mine\n');
    expect(await runCommand(init, { ...FLAGS, force: true })).toMatchObject({ code: 0 });
  });

  it('does not wait for answers where no one can give them', async () => {
    await expect(runCommand(init, { name: 'pen' })).rejects.toThrow(
      'not a terminal, and no answer for --endpoint, --hosts, --subnet, --gateway',
    );
    expect(existsSync(join(folder, 'oxherd.yaml'))).toBe(false);
  });

  it('refuses answers that make no config', async () => {
    await expect(runCommand(init, { ...FLAGS, gateway: '10.9.9.9' })).rejects.toThrow(
      '--gateway: 10.9.9.9 lies outside 10.0.0.0/24',
    );
    await expect(runCommand(init, { ...FLAGS, kubernetes: 'v1.20.0' })).rejects.toThrow(
      'runs Kubernetes v1.32 to v1.37, not v1.20.0',
    );
    expect(existsSync(join(folder, 'oxherd.yaml'))).toBe(false);
  });
});

describe('validate', () => {
  it('prints every problem with its place, and fails', async () => {
    await runCommand(init, FLAGS);
    const path = join(folder, 'oxherd.yaml');
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace('cores: 4, memory: 8GiB }', 'core: 4, memory: 8 }'),
    );
    const { code, stdout, stderr } = await runCommand(validate);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('did you mean `cores`?');
    expect(stderr).toContain('add the unit: `8GiB` or `8MiB`');
    expect(stderr).toContain('oxherd.yaml has 2 errors');
  });

  it('prints one JSON document', async () => {
    await runCommand(init, FLAGS);
    const good = await runCommand(validate, {}, { json: true });
    expect(JSON.parse(good.stdout)).toEqual({
      file: 'oxherd.yaml',
      valid: true,
      summary: { controlPlanes: 3, workers: 3, volumes: 0 },
      diagnostics: [],
    });
    writeFileSync(join(folder, 'oxherd.yaml'), '');
    const bad = await runCommand(validate, {}, { json: true });
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      valid: false,
      diagnostics: [{ code: 'yaml.empty', line: 1 }],
    });
  });

  it('says what to do where there is no file, or none that is text', async () => {
    await expect(runCommand(validate)).rejects.toMatchObject({
      code: 'config.unreadable',
      advice: 'write one with `oxherd init`, or name it with `-c FILE`',
    });
    writeFileSync(join(folder, 'oxherd.yaml'), Buffer.from([0x63, 0xe9, 0x0a]));
    expect((await runCommand(validate)).stderr).toContain('the file is not UTF-8 text');
  });

  it('reads files beside the config, wherever it is called from', async () => {
    await runCommand(init, FLAGS);
    const path = join(folder, 'oxherd.yaml');
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace('# schematic: schematic.yaml', 'schematic: own.yaml'),
    );
    expect((await runCommand(validate)).stderr).toContain('there is no readable file `own.yaml`');
    writeFileSync(
      join(folder, 'own.yaml'),
      'customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent] } }\n',
    );
    expect((await runCommand(validate)).code).toBe(0);
  });
});

describe('validate looks at patches and fragments', () => {
  async function validatePatched(cluster: string, patches: string) {
    await runCommand(init, FLAGS);
    const path = join(folder, 'oxherd.yaml');
    const text = readFileSync(path, 'utf8')
      .replace(/^cluster:\n/m, `cluster:\n${cluster}`)
      .replace(/^talos:\n/m, `talos:\n${patches}`);
    writeFileSync(path, text);
    return { text: text.split('\n'), ...(await runCommand(validate, {}, { json: true })) };
  }

  it('and says all that Talos would refuse, each once and with its place', async () => {
    writeFileSync(join(folder, 'own.yaml'), 'machine: { sysctl: { a: "1" } }\n');
    const { code, stdout, text } = await validatePatched(
      '  kubelet: { nonsense: 1 }\n',
      '  patches: { all: [own.yaml], worker: [{ machine: { networkk: {} } }] }\n',
    );
    expect(code).toBe(1);
    const { diagnostics, valid } = JSON.parse(stdout);
    expect(valid).toBe(false);
    expect(
      diagnostics.map(({ code, line, message }: Record<string, unknown>) => ({ code, line, message })),
    ).toEqual([
      {
        code: 'design.patch',
        line: lineOf(text, 'nonsense'),
        message: expect.stringMatching(/cluster\.kubelet.*nonsense: 1/s),
      },
      {
        code: 'design.patch',
        line: lineOf(text, 'own.yaml'),
        message: expect.stringMatching(/own\.yaml.*sysctl/s),
      },
      {
        code: 'design.patch',
        line: lineOf(text, 'networkk'),
        message: expect.stringMatching(/talos\.patches\.worker\[0\].*networkk/s),
      },
    ]);
  });

  it('and warns of what a patch erases', async () => {
    const erasing =
      '{ apiVersion: v1alpha1, kind: VolumeConfig, name: EPHEMERAL, provisioning: { maxSize: 20GiB } }';
    const { code, stdout } = await validatePatched('', `  patches: { worker: [${erasing}] }\n`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: true,
      diagnostics: [
        {
          severity: 'warning',
          code: 'design.patch-erases',
          message: expect.stringContaining('diskSelector'),
        },
      ],
    });
  });

  it('and knows which documents a Talos version has', async () => {
    await validatePatched('', '  patches: { all: [{ apiVersion: v1alpha1, kind: NoSuchConfig }] }\n');
    const { code, stderr } = await runCommand(validate);
    expect(code).toBe(1);
    expect(stderr).toContain('NoSuchConfig');
    expect(stderr).toContain('talos.patches.all[0]');
  });
});

function lineOf(lines: readonly string[], text: string): number {
  return lines.findIndex((line) => line.includes(text)) + 1;
}

describe('requireConfig', () => {
  it('gives the config, or an error that counts the problems', async () => {
    await runCommand(init, FLAGS);
    expect(requireConfig(contextOf().context).config.nodes).toHaveLength(6);
    writeFileSync(join(folder, 'oxherd.yaml'), 'cluster: 1\n');
    const { context, stderr } = contextOf();
    expect(() => requireConfig(context)).toThrow('oxherd.yaml has 5 errors');
    expect(stderr()).toContain('the file needs `talos`');
  });

  it('shows each warning once, however often a command reads the file', () => {
    const nodes = ['cp-1', 'cp-2'].map(
      (name, index) =>
        `  ${name}: { role: controlplane, host: pve1, ip: 10.20.30.4${index}, vmid: 14${index} }`,
    );
    const text = [
      'cluster: { name: two, vip: 10.20.30.9, kubernetes: v1.34.0 }',
      'talos: { version: v1.13.9 }',
      'proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:TOKEN" }',
      'network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }',
      'nodes:',
      ...nodes,
      '',
    ].join('\n');
    writeFileSync(join(folder, 'oxherd.yaml'), text);
    const { context, stderr } = contextOf();
    requireConfig(context);
    expect(stderr()).toMatch(/warning/);
    // Another version of the same file has the same warning.
    writeFileSync(join(folder, 'oxherd.yaml'), text.replace('v1.13.9', 'v1.14.1'));
    requireConfig(context);
    expect(stderr()).toBe('');
  });
});

describe('schema', () => {
  it('prints a JSON schema that is strict', async () => {
    const { code, stdout } = await runCommand(schema);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      title: 'oxherd.yaml',
      additionalProperties: false,
      required: ['cluster', 'talos', 'proxmox', 'network', 'nodes'],
    });
  });
});
