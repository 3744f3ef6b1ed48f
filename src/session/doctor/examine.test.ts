import { describe, expect, it } from 'vitest';
import { config, gib, nic, nodeConfig, vmOptions } from '../../../test/support/design/config.js';
import type { PresentedCertificate, StorageStatus } from '../../clients/proxmox/index.js';
import { ProxmoxError } from '../../clients/proxmox/index.js';
import type { Config } from '../../config/config.js';
import { design } from '../../design/design-cluster.js';
import { GIB } from '../../model/size.js';
import { known, unknown } from '../../observe/observed.js';
import type { Check } from './check.js';
import { examine } from './examine.js';
import type { ClusterFacts, DoctorFacts, HostFacts } from './facts.js';

const NOW = Date.UTC(2026, 10, 15);
const FINGERPRINT = Array(32).fill('AB').join(':');

function certificate(days = 300): PresentedCertificate {
  return {
    fingerprint: FINGERPRINT,
    subject: 'CN=pve1',
    issuer: 'CN=Proxmox Virtual Environment',
    names: [],
    validFrom: new Date(NOW - 86_400_000),
    validTo: new Date(NOW + days * 86_400_000),
    trusted: false,
  };
}

function storage(name: string, content: string[], available = 500): StorageStatus {
  return {
    storage: name,
    type: 'zfspool',
    content,
    active: true,
    enabled: true,
    shared: false,
    total: 1000 * GIB,
    used: (1000 - available) * GIB,
    available: available * GIB,
  };
}

const host = (overrides: Partial<HostFacts> = {}): HostFacts => ({
  version: known('pve-manager/9.2.11/14a22df3'),
  clockAhead: known(0),
  storages: known([storage('local', ['import', 'iso']), storage('local-zfs', ['images'])]),
  bridges: known([
    {
      iface: 'vmbr0',
      type: 'bridge',
      active: true,
      vlanAware: false,
      ports: [],
      cidr: undefined,
      gateway: undefined,
    },
  ]),
  cpuModels: known([{ name: 'x86-64-v2-AES', custom: false }]),
  volumes: {},
  ...overrides,
});

const cluster = (overrides: Partial<ClusterFacts> = {}): ClusterFacts => ({
  version: '9.2.11',
  status: known({ name: 'homelab', quorate: true, hosts: [] }),
  nodes: [
    { node: 'pve1', online: true, cpus: 16, memory: 64 * GIB, memoryUsed: GIB, fingerprint: FINGERPRINT },
  ],
  vms: [],
  mappings: known([]),
  roles: known([]),
  missing: known([]),
  hosts: { pve1: host() },
  ...overrides,
});

const PINNED = { kind: 'fingerprint', sha256: FINGERPRINT } as const;
const facts = (of: ClusterFacts, overrides: Partial<DoctorFacts> = {}): DoctorFacts => ({
  endpoints: [{ endpoint: 'https://pve1.lan:8006', trust: PINNED, certificate: known(certificate()) }],
  tokenId: 'oxherd@pve!main',
  now: NOW,
  cluster: { reached: true, facts: of },
  ...overrides,
});

const small = config({
  nodes: [nodeConfig('cp-1', 141, 'controlplane'), nodeConfig('work-1', 151, 'worker')],
});
const look = (given: DoctorFacts, of: Config = small) => examine(of, design(of), given);
const bad = (checks: readonly Check[]) => checks.filter((check) => check.result !== 'ok');

describe('doctor', () => {
  it('finds nothing where all is as it should be', () => {
    const checks = look(facts(cluster()));
    expect(bad(checks)).toEqual([]);
    expect(new Set(checks.map((check) => check.group))).toEqual(
      new Set([
        'connection',
        'certificate',
        'token',
        'privileges',
        'hosts',
        'clock',
        'storages',
        'network',
        'devices',
        'capacity',
      ]),
    );
    expect(checks.find((check) => check.group === 'certificate')?.text).toContain(FINGERPRINT);
  });

  it('prints the fingerprint to pin where the certificate is not trusted', () => {
    const error = new ProxmoxError('proxmox.certificate', 'not trusted', { advice: 'see doctor' });
    const endpoints = [
      {
        endpoint: 'https://pve1.lan:8006',
        trust: { kind: 'system' } as const,
        certificate: known(certificate()),
      },
    ];
    const checks = look(facts(cluster(), { endpoints, cluster: { reached: false, error } }));
    const found = checks.find((check) => check.group === 'certificate');
    expect(found).toMatchObject({ result: 'fail' });
    expect(found?.fix).toContain(`proxmox.fingerprint: ${FINGERPRINT}`);
    expect(checks.some((check) => check.group === 'storages')).toBe(false);
  });

  it('compares every endpoint with its own fingerprint, also one that was not asked anything', () => {
    const other = FINGERPRINT.replaceAll('A', 'B');
    const wrong = { kind: 'fingerprint', sha256: 'CD'.repeat(32) } as const;
    const endpoints = [
      { endpoint: 'https://pve1.lan:8006', trust: PINNED, certificate: known(certificate()) },
      {
        endpoint: 'https://pve2.lan:8006',
        trust: wrong,
        certificate: known({ ...certificate(), fingerprint: other }),
      },
    ];
    expect(bad(look(facts(cluster(), { endpoints })))).toMatchObject([
      {
        group: 'certificate',
        result: 'fail',
        text: `https://pve2.lan:8006: not trusted; it presents ${other}`,
        fix: [
          expect.stringContaining('pvenode cert info'),
          `proxmox.endpoint: { url: "https://pve2.lan:8006", fingerprint: "${other}" }`,
        ],
      },
    ]);
  });

  it('tells a refused token from a missing server', () => {
    const refusal = new ProxmoxError(
      'proxmox.unauthorized',
      'Proxmox does not accept the token oxherd@pve!main',
    );
    expect(bad(look(facts(cluster(), { cluster: { reached: false, error: refusal } })))).toMatchObject([
      { group: 'token', result: 'fail' },
    ]);
    const gone = new ProxmoxError('proxmox.unreachable', 'cannot connect to pve1.lan:8006: ECONNREFUSED');
    const endpoints = [
      {
        endpoint: 'https://pve1.lan:8006',
        trust: PINNED,
        certificate: unknown<PresentedCertificate>('ECONNREFUSED'),
      },
    ];
    expect(
      bad(look(facts(cluster(), { endpoints, cluster: { reached: false, error: gone } }))),
    ).toMatchObject([{ group: 'connection', result: 'fail' }]);
  });

  it('warns before a certificate expires', () => {
    const endpoints = [
      { endpoint: 'https://pve1.lan:8006', trust: PINNED, certificate: known(certificate(3)) },
    ];
    expect(bad(look(facts(cluster(), { endpoints })))).toMatchObject([
      { group: 'certificate', result: 'warn', text: expect.stringContaining('expires in 3 days') },
    ]);
  });

  it('names each missing privilege with its path and the commands that grant it', () => {
    const missing = known([
      { path: '/vms/141', privilege: 'VM.Audit', need: 'must' as const, why: 'make VMs' },
      { path: '/vms/1410', privilege: 'VM.Audit', need: 'must' as const, why: 'make VMs' },
      {
        path: '/storage/local',
        privilege: 'Datastore.AllocateTemplate',
        need: 'must' as const,
        why: 'download',
      },
      { path: '/', privilege: 'Sys.Modify', need: 'should' as const, why: 'set the start order' },
    ]);
    const checks = bad(look(facts(cluster({ missing, roles: known(['oxherd-vms']) }))));
    expect(checks.map((check) => check.result)).toEqual(['fail', 'fail', 'warn']);
    expect(checks[0]?.text).toContain('VM.Audit on /vms/141, /vms/1410');
    expect(checks[0]?.fix?.[0]).toBe('pveum role modify oxherd-vms --append 1 --privs VM.Audit');
    expect(checks[1]?.fix).toEqual([
      'pveum role add oxherd-storage --privs Datastore.AllocateTemplate',
      "pveum acl modify /storage/local --users oxherd@pve --tokens 'oxherd@pve!main' --roles oxherd-storage",
    ]);
  });

  it('asks for the content type that images need', () => {
    const storages = known([storage('local', ['iso']), storage('local-zfs', ['images'])]);
    expect(bad(look(facts(cluster({ hosts: { pve1: host({ storages }) } }))))).toMatchObject([
      { group: 'storages', result: 'fail', fix: ['pvesm set local --content import,iso'] },
    ]);
  });

  it('sees what a host lacks', () => {
    const of = config({
      nodes: [
        nodeConfig('work-1', 151, 'worker', {
          nics: [{ ...nic, bridge: 'vmbr9' }],
          vm: vmOptions({
            cpuType: 'custom-mine',
            storage: 'tank',
            pci: [{ mapping: 'igpu', pcie: true, rombar: true, xvga: false }],
          }),
        }),
      ],
    });
    const mappings = known([{ id: 'igpu', description: undefined, nodes: ['pve2'], map: [] }]);
    const texts = bad(look(facts(cluster({ mappings })), of)).map((check) => check.text);
    expect(texts).toEqual([
      expect.stringContaining('no storage tank'),
      expect.stringContaining('no bridge vmbr9'),
      expect.stringContaining('PCI mapping igpu has no device on pve1'),
      expect.stringContaining('does not know the CPU type custom-mine'),
    ]);
  });

  it('reports an unknown host, a host that is down and a lost quorum, and asks them nothing', () => {
    const nodes = [{ ...cluster().nodes[0], node: 'pve2', online: false } as never];
    const of = config({
      nodes: [
        nodeConfig('cp-1', 141, 'controlplane', { host: 'pve2' }),
        nodeConfig('work-1', 151, 'worker', { host: 'pve7' }),
      ],
    });
    const status = known({ name: 'homelab', quorate: false, hosts: [] });
    const checks = bad(look(facts(cluster({ nodes, status, hosts: {} })), of));
    expect(checks.map((check) => [check.group, check.result])).toEqual([
      ['hosts', 'fail'],
      ['hosts', 'fail'],
      ['hosts', 'fail'],
    ]);
  });

  it('measures the clock of each host', () => {
    const at = (ms: number) =>
      bad(look(facts(cluster({ hosts: { pve1: host({ clockAhead: known(ms) }) } }))));
    expect(at(-4_000)).toEqual([]);
    expect(at(-60_000)).toMatchObject([{ result: 'warn', text: expect.stringContaining('60 s behind') }]);
    expect(at(600_000)).toMatchObject([{ result: 'fail', text: expect.stringContaining('600 s ahead') }]);
  });

  it('counts memory beside the VMs of others, and space beside our own volumes', () => {
    const busy = {
      type: 'qemu' as const,
      vmid: 900,
      node: 'pve1',
      name: 'nas',
      status: 'running' as const,
      tags: [],
      template: false,
      lock: undefined,
      pool: undefined,
      haState: undefined,
      cpus: 4,
      memory: 60 * GIB,
      disk: 0,
    };
    const tight = bad(look(facts(cluster({ vms: [busy] }))));
    expect(tight).toMatchObject([
      { group: 'capacity', text: expect.stringContaining('8GiB of memory for 2 nodes') },
    ]);
    // The same VM stopped, or being one of ours, takes nothing.
    expect(bad(look(facts(cluster({ vms: [{ ...busy, status: 'stopped' }] }))))).toEqual([]);
    expect(bad(look(facts(cluster({ vms: [{ ...busy, vmid: 141 }] }))))).toEqual([]);

    const of = config({
      nodes: [nodeConfig('work-1', 151, 'worker', { vm: vmOptions({ disk: gib(600) }) })],
    });
    const storages = known([storage('local', ['import']), storage('local-zfs', ['images'])]);
    const space = (volumes: HostFacts['volumes']) =>
      bad(look(facts(cluster({ hosts: { pve1: host({ storages, volumes }) } })), of));
    expect(space({})).toMatchObject([
      { group: 'capacity', result: 'warn', text: expect.stringContaining('605GiB to create') },
    ]);
    expect(space({ 'local-zfs': known({ 1510: 600 * GIB }) })).toEqual([]);
  });
});
