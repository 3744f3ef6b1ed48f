// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is how HCL is written

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { exampleNames, loadExample } from '../../../test/support/examples.js';
import type { Config } from '../../config/config.js';
import { loadTfvars } from '../../config/from-tfvars/load.js';
import { readVariables } from '../../config/from-tfvars/read-variables.js';
import { loadConfig } from '../../config/load.js';
import type { Design } from '../../design/design.js';
import { design } from '../../design/design-cluster.js';
import { kubernetesDesign } from '../../design/kubernetes/kubernetes-design.js';
import { MachineConfigWriter } from '../../design/machine-config/machine-config.js';
import { known } from '../../observe/observed.js';
import { completeList } from '../../observe/observed-lists.js';
import { completeVms, visibleVms, withVms } from '../../observe/observed-vms.js';
import { qmConfigs } from '../qm.js';
import { type TofuFile, tofuFiles } from './files.js';
import { slotsIn } from './kept-slots.js';
import type { TofuFacts } from './node-model.js';

/** Both layouts, both boots, several NICs, devices, versions and schematics in one cluster. */
const MIXED = `
cluster: { name: mixed, env: qa, vip: 10.20.30.40, kubernetes: v1.36.0, domain: k8s.lan, podSubnets: [10.1.0.0/16], certSANs: [k.lan], kubelet: { extraArgs: { v: "2" } }, extraManifests: ["https://example.com/a.yaml"] }
talos:
  version: v1.14.1
  contract: v1.13
  factory: "https://factory.example.com"
  registryMirrors: { docker.io: ["https://mirror.example.com"] }
  patches: { all: [{ machine: { sysctls: { a: "1" } } }], controlplane: ["machine: { sysctls: { c: \\"3\\" } }\\n---\\napiVersion: v1alpha1\\nkind: NetworkDefaultActionConfig\\ningress: block\\n"] }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN", pool: talos, imageStorage: nfs }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254], searchDomains: [example.com], ntp: [time.example.com], vlan: 7 }
nodes:
  cp-1.example.com: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 141, mtu: 9000, queues: 4, firewall: true, tags: [edge] }
  cp-2: { role: controlplane, host: pve2, ip: 10.20.30.42, vmid: 142, layout: single, boot: iso, disk: 40GiB, vlan: 0, startup: { order: 4, up: 15, down: 60 }, scsiHardware: virtio-scsi-pci, numa: true, balloon: 2GiB, memory: 8GiB }
  cp-3: { role: controlplane, host: pve3, ip: 10.20.30.43, vmid: 143, bios: ovmf, onBoot: false, mac: "BC:24:11:00:00:01", uuid: 853ca362-f588-4c52-af66-13262197de84, description: 'a "quoted" \${note}', nics: [{ bridge: vmbr3 }, { bridge: vmbr1, ip: 10.99.0.5, subnet: 10.99.0.0/24 }] }
  work:
    role: worker
    count: 2
    hosts: [pve1, pve2]
    ip: 10.20.30.51
    vmid: 151
    sockets: 2
    storage: ceph
    dns: [1.1.1.1]
    labels: { rack: a }
    taints: [{ key: gpu, effect: NoSchedule }]
    patches: [{ machine: { sysctls: { b: "2" } } }]
    pci: [iGPU, { mapping: nic, rombar: false }]
    talosVersion: v1.14.2
    schematic: { customization: { systemExtensions: { officialExtensions: [siderolabs/iscsi-tools, siderolabs/qemu-guest-agent] } } }
    nics: [{ bridge: vmbr2, dhcp: true, vlan: 9, queues: 2 }]
    diskOptions: { cache: none, aio: native, ssd: false, backup: false }
volumes:
  longhorn: { type: disk, size: 50GiB, storage: local-zfs, backup: true, filesystem: ext4 }
  part: { type: partition, place: disk, size: 5GiB, on: worker }
  dir: { type: directory, on: all }
  pv: { type: proxmox-csi, size: 512MiB, host: pve1, vmid: 9876, format: qcow2, storage: nfs }
kubernetes:
  cilium: { version: v1.19.1, values: { hubble: { enabled: false } } }
  gatewayApi: { channel: experimental }
  csi: { delete: true, acceptDeleteRisk: true, storageClasses: { fast: { storage: local-zfs, cache: writeback } } }
`;

function mixed(change: (text: string) => string = (text) => text): Config {
  const { config, diagnostics } = loadConfig({
    path: 'oxherd.yaml',
    text: change(MIXED),
    readText: () => undefined,
  });
  if (!config) throw new Error(diagnostics.map((each) => each.message).join('\n'));
  return config;
}

const CASES: [string, Config][] = [
  ...exampleNames().map((name): [string, Config] => [name, loadExample(name)]),
  ['a mixed cluster', mixed()],
];
const textOf = (files: readonly TofuFile[], path: string) =>
  files.find((file) => file.path === path)?.text ?? '';

function variablesOf(files: readonly TofuFile[]): Readonly<Record<string, unknown>> {
  const path = 'terraform.tfvars';
  return readVariables([{ path, name: path, text: textOf(files, path) }]).document?.raw ?? {};
}

function readAgain(files: readonly TofuFile[]): Config {
  const { config, diagnostics } = loadTfvars({
    files: [{ path: 'terraform.tfvars', name: 'terraform.tfvars', text: textOf(files, 'terraform.tfvars') }],
    readText: (path) => files.find((file) => file.path === path)?.text,
  });
  expect(diagnostics.filter((each) => each.severity === 'error')).toEqual([]);
  if (!config) throw new Error('it did not load');
  return config;
}

/** Everything that a config leads to: VMs, machine configs, objects in Kubernetes. */
function meaning(config: Config) {
  const wanted = design(config);
  const configs = new MachineConfigWriter(config, wanted);
  return {
    // A group is how oxherd.yaml writes nodes; the export writes each of them.
    wanted: { ...wanted, nodes: wanted.nodes.map(({ group: _, ...node }) => node) },
    machines: config.nodes.map(({ name }) => configs.forNode(name).documents),
    kubernetes: kubernetesDesign(config, wanted, { storages: {}, sizes: {} }),
  };
}

/** As `observe` finds a cluster that was made from the design; one drive sits on another slot. */
function observedOf(wanted: Design): TofuFacts {
  const vms = wanted.nodes.flatMap((node) => [node.talosVm, ...(node.dataVm ? [node.dataVm] : [])]);
  const lines = new Map(
    qmConfigs(wanted).map(({ vmid, text }) => [vmid, text.replaceAll('scsi1:', 'scsi30:')]),
  );
  const found = {
    vms: completeVms(
      vms.map((vm) => ({
        vmid: vm.vmid,
        host: vm.host,
        name: vm.name,
        status: 'running' as const,
        tags: [],
        template: false,
        config: known({
          digest: '',
          pending: {},
          values: Object.fromEntries(
            (lines.get(vm.vmid) ?? '')
              .trim()
              .split('\n')
              .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
          ),
        }),
      })),
    ),
    access: {
      pools: completeList(wanted.pool === undefined ? {} : { [wanted.pool]: { vms: [], comment: '' } }),
    },
    images: Object.fromEntries(
      wanted.images.map((image) => [`${image.host}/${image.storage}`, known([image.volid])]),
    ),
  };
  return found;
}

describe('export tofu', () => {
  it.each(CASES)('%s: export, read again, the same cluster', (_, config) => {
    expect(meaning(readAgain(tofuFiles(config, design(config))))).toEqual(meaning(config));
  });

  it.each([
    [
      'no CNI and no kube-proxy of Talos',
      '{ network: { cni: { name: none } }, proxy: { disabled: true } }',
      true,
    ],
    ['a CNI of Talos', '{ network: { cni: { name: flannel } } }', false],
    [
      'another CNI by its URLs',
      '{ network: { cni: { name: custom, urls: ["https://example.com/cni.yaml"] } } }',
      true,
    ],
  ])('keeps %s, and whether there is a Gateway API', (_, network, gateway) => {
    const config = mixed((text) =>
      text
        .replace(/ {2}cilium: .*\n/, '  cilium: false\n')
        .replace(/ {2}gatewayApi: .*\n/, `  gatewayApi: ${gateway}\n`)
        .replace('patches: { all: [', `patches: { all: [{ cluster: ${network} }, `),
    );
    const before = meaning(config);
    expect(JSON.stringify(before.machines)).toMatch(/"cni":\{"name":"(?:none|flannel|custom)"/);
    expect(meaning(readAgain(tofuFiles(config, before.wanted)))).toEqual(before);
  });

  it('takes files that the config names along', () => {
    const text = MIXED.replace(
      'cilium: { version: v1.19.1',
      'cilium: { manifest: a/b/install.yaml, version: v1.19.1',
    );
    const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n';
    const { config } = loadConfig({ path: 'oxherd.yaml', text, readText: () => manifest });
    if (!config) throw new Error('it did not load');
    const files = tofuFiles(config, design(config));
    expect(textOf(files, 'files/install.yaml')).toBe(manifest);
    expect(readAgain(files).kubernetes.cilium?.manifest).toEqual({
      path: 'files/install.yaml',
      text: manifest,
    });
  });

  it('keeps the slots of an earlier export, whatever names are added', () => {
    const disksOf = (files: readonly TofuFile[]) => slotsIn(variablesOf(files)).get('work-1');
    const config = mixed();
    const before = tofuFiles(config, design(config));
    const text = MIXED.replace(
      'volumes:\n',
      'volumes:\n  aaa: { type: disk, size: 10GiB }\n  zzz: { type: disk, size: 10GiB }\n',
    );
    const more = loadConfig({ path: 'oxherd.yaml', text, readText: () => undefined }).config;
    if (!more) throw new Error('it did not load');
    const after = disksOf(tofuFiles(more, design(more), { kept: slotsIn(variablesOf(before)) }));
    for (const [name, slots] of disksOf(before) ?? [])
      expect([name, after?.get(name)]).toEqual([name, slots]);
    expect([after?.get('aaa'), after?.get('zzz')]).toEqual([
      { interface: 'scsi30', data_interface: 'scsi30' },
      { interface: 'scsi29', data_interface: 'scsi29' },
    ]);
  });

  it('registers schematics, and replaces no image, description or moved VM', () => {
    const main = textOf(tofuFiles(mixed(), design(mixed())), 'main.tf');
    expect(main).toMatch(
      /resource "talos_image_factory_schematic" "schematic" \{\n {2}for_each = \{ for id, schematic in var\.schematics/,
    );
    expect(main).toContain('depends_on = [talos_image_factory_schematic.schematic]');
    expect(main).toContain('ignore_changes = [url, overwrite, overwrite_unmanaged]');
    const module = textOf(tofuFiles(mixed(), design(mixed())), 'modules/talos-vm/main.tf');
    expect(module.match(/ignore_changes = \[description, node_name/g)).toHaveLength(2);
  });

  it.each(CASES)('%s: holds no secret and no way to one', (_, config) => {
    const text = tofuFiles(config, design(config))
      .map((file) => file.text)
      .join('\n');
    expect(text).not.toMatch(/token *=|password *=|BEGIN|OXHERD_PROXMOX_TOKEN/);
  });

  it('has every field that the template lists', () => {
    const text = textOf(
      tofuFiles(loadExample('template'), design(loadExample('template'))),
      'terraform.tfvars',
    );
    const keys = (block: string) =>
      [
        ...(new RegExp(`^${block} = [{[]\\n([\\s\\S]*?)^[}\\]]`, 'm').exec(text)?.[1] ?? '').matchAll(
          /^\s+(\w+)\s+=/gm,
        ),
      ].map((match) => match[1]);
    expect(keys('vm_advanced')).toEqual(
      expect.arrayContaining([
        'bios',
        'machine',
        'cpu_type',
        'scsi_hw',
        'balloon',
        'numa',
        'qemu_agent',
        'net_queues',
        'disk_discard',
        'disk_ssd',
        'tags',
        'network_bridge',
        'ostype',
        'disk_backup',
        'disk_replicate',
      ]),
    );
    for (const block of ['vm_defaults', 'vm_controller_defaults', 'vm_worker_defaults']) {
      expect(keys(block)).toEqual(['cores', 'sockets', 'memory', 'disk_size']);
    }
    expect(keys('nodes')).toEqual(
      expect.arrayContaining([
        'name',
        'address',
        'mac_addr',
        'vm_cores',
        'vm_sockets',
        'vm_memory',
        'vm_disk_size',
        'vm_startup_order',
        'vm_startup_delay',
        'vm_shutdown_delay',
        'mtu',
      ]),
    );
    for (const variable of ['proxmox_api_url', 'proxmox_node', 'node_vlan_tag'])
      expect(text).toMatch(new RegExp(`^${variable} +=`, 'm'));
    expect(text).toContain('bios           = "ovmf"');
    expect(text).toMatch(/vm_shutdown_delay = 60/);
  });

  it('declares every variable it sets, and no other', () => {
    const files = tofuFiles(mixed(), design(mixed()));
    const set = [...textOf(files, 'terraform.tfvars').matchAll(/^(\w+) +=/gm)].map((match) => match[1]);
    const declared = [...textOf(files, 'variables.tf').matchAll(/^variable "(\w+)"/gm)].map(
      (match) => match[1],
    );
    expect([...set].sort()).toEqual([...declared].sort());
  });

  it('imports what is there, by the slots it has, and leaves its drives alone', () => {
    const config = loadExample('homelab');
    const wanted = design(config);
    const files = tofuFiles(config, wanted, { observed: observedOf(wanted) });
    const imports = textOf(files, 'imports.tf');
    expect(imports.match(/^import \{/gm)).toHaveLength(12 + 1);
    expect(imports).toContain('to = proxmox_virtual_environment_pool.talos[0]\n  id = "oxherd_homelab_dev"');
    expect(imports).toContain(
      'to = module.talos_vm["cp-1"].proxmox_virtual_environment_vm.talos\n  id = "pve1/141"',
    );
    expect(imports).toContain(
      'to = module.talos_vm["cp-1"].proxmox_virtual_environment_vm.data[0]\n  id = "pve1/1410"',
    );
    expect(imports).not.toContain('download_file');
    expect(textOf(files, 'terraform.tfvars')).toMatch(/^present_images = \[\s*"pve1\/dev-talos-/m);
    expect(textOf(files, 'terraform.tfvars')).toContain('interface      = "scsi30"');
    expect(
      textOf(files, 'modules/talos-vm/main.tf').match(
        /ignore_changes = \[description, node_name, disk, cdrom\]/g,
      ),
    ).toHaveLength(2);
    expect(textOf(tofuFiles(config, wanted), 'imports.tf')).toBe('');
  });

  it('follows a VM that was moved', () => {
    const config = loadExample('homelab');
    const wanted = design(config);
    const found = observedOf(wanted);
    const moved = visibleVms(found).filter(({ vmid }) => [141, 1410].includes(vmid));
    const vms = withVms(
      found.vms,
      moved.map((vm) => ({ ...vm, host: 'pve9' })),
    );
    const files = tofuFiles(config, wanted, { observed: { ...found, vms } });
    expect(textOf(files, 'imports.tf')).toContain('id = "pve9/1410"');
    expect(textOf(files, 'terraform.tfvars')).toMatch(/^ {2}"pve9\/dev-talos-.*" = \{$/m);
    // No VM is made from it, so it is not downloaded there.
    expect(textOf(files, 'terraform.tfvars')).toMatch(/"pve9\/dev-talos-[^"]*"[,\]]/);
  });

  it('refuses a disk that the provider cannot make', () => {
    const config = loadExample('homelab', (text) => text.replace('disk: 40GiB', 'disk: 40500MiB'));
    expect(() => tofuFiles(config, design(config))).toThrow(/whole number of GiB/);
  });
});

const terraform = ['terraform', 'tofu'].find((name) => {
  try {
    execFileSync(name, ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});
if (terraform === undefined) console.warn('skipped: neither terraform nor tofu on this machine');

describe.skipIf(terraform === undefined)('with the real program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oxherd-tofu-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, files: readonly TofuFile[]) => {
    for (const { path, text } of files) {
      const file = join(folder, name, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return join(folder, name);
  };
  const run = (cwd: string, ...args: string[]) =>
    execFileSync(terraform ?? '', args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: folder, CHECKPOINT_DISABLE: '1' },
    });

  it.each(CASES)('%s passes fmt -check', (name, config) => {
    const wanted = design(config);
    run(write(name, tofuFiles(config, wanted)), 'fmt', '-check', '-recursive', '-list=true');
    run(
      write(`${name} live`, tofuFiles(config, wanted, { observed: observedOf(wanted) })),
      'fmt',
      '-check',
      '-recursive',
    );
  });

  it.each(CASES)('%s: the values fit the variables, and merge', (name, config) => {
    const files = tofuFiles(config, design(config)).filter(({ path }) =>
      ['variables.tf', 'terraform.tfvars'].includes(path),
    );
    const merged =
      /advanced += (merge\(.*\))$/m.exec(textOf(tofuFiles(config, design(config)), 'main.tf'))?.[1] ?? '';
    const output = `output "advanced" {\n  value = { for node in var.nodes : node.name => ${merged.replaceAll('each.value', 'node')} }\n}\n`;
    const cwd = write(`${name} values`, [...files, { path: 'main.tf', text: output }]);
    run(cwd, 'init', '-input=false');
    run(cwd, 'plan', '-input=false', '-out=plan');
    const plan = JSON.parse(run(cwd, 'show', '-json', 'plan'));
    const advanced = plan.planned_values.outputs.advanced.value;
    for (const node of config.nodes) {
      expect(advanced[node.name]).toMatchObject({
        bios: node.vm.bios,
        scsi_hw: node.vm.scsiHardware,
        disk_cache: node.vm.diskOptions.cache ?? null,
        net_queues: node.nics[0]?.queues ?? null,
        tags: node.vm.tags,
      });
    }
  });

  it('lists disks in the order in which slots are given out', () => {
    const config = mixed();
    const files = tofuFiles(config, design(config));
    const locals = /^locals \{[\s\S]*?^\}$/m.exec(textOf(files, 'modules/talos-vm/main.tf'))?.[0] ?? '';
    const disk = (slot: string) => `{ interface = "${slot}", data_interface = "${slot}" }`;
    const node = `{ controller = true, layout = "data-vm", dns_servers = null, disks = { aaa = ${disk('scsi30')}, mmm = ${disk('scsi1')}, bbb = ${disk('scsi29')}, zzz = ${disk('scsi2')} } }`;
    const network = '{ cidr = "10.0.0.0/24", dns_servers = [] }';
    const variables = `variable "node" {\n  default = ${node}\n}\n\nvariable "network" {\n  default = ${network}\n}\n`;
    const output = 'output "order" {\n  value = [for disk in local.owned_disks : disk.interface]\n}\n';
    const cwd = write('order', [{ path: 'main.tf', text: `${variables}\n${locals}\n\n${output}` }]);
    run(cwd, 'init', '-input=false');
    run(cwd, 'plan', '-input=false', '-out=plan');
    const plan = JSON.parse(run(cwd, 'show', '-json', 'plan'));
    expect(plan.planned_values.outputs.order.value).toEqual(['scsi1', 'scsi2', 'scsi30', 'scsi29']);
  });

  it('passes validate where the provider can be had', (context) => {
    const cwd = write('validate', tofuFiles(mixed(), design(mixed())));
    try {
      run(cwd, 'init', '-input=false', '-backend=false');
    } catch {
      console.warn('skipped: the provider bpg/proxmox cannot be had here, `validate` is not run');
      context.skip();
    }
    expect(run(cwd, 'validate')).toContain('Success');
  });
});
