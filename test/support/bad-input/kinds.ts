/** Kinds of bad input, each through a real command: what is in the folder, what is typed, what is said. */
import { smallFile } from '../small-file.js';

export interface BadInput {
  readonly what: string;
  readonly args: readonly string[];
  /** Of this part of the message the reader learns what is wrong. */
  readonly says: RegExp;
  /** Besides a config that is right; `undefined`: it is not there; a folder ends with a slash. */
  readonly files?: Readonly<Record<string, string | undefined>>;
  readonly env?: Readonly<Record<string, string>>;
}

const CONFIG = 'oxherd.yaml';

/** The config with one piece of it replaced. */
function changed(from: string, to: string): { files: { [CONFIG]: string } } {
  const text = smallFile();
  if (!text.includes(from)) throw new Error(`the config has no ${from}`);
  return { files: { [CONFIG]: text.replace(from, to) } };
}

/** A config that cannot be read, or says what cannot be. */
export const BAD_CONFIGS: readonly BadInput[] = [
  { what: 'no config', args: ['plan'], files: { [CONFIG]: undefined }, says: /there is no oxherd\.yaml/ },
  { what: 'a folder as config', args: ['-c', 'dir', 'plan'], files: { 'dir/': '' }, says: /dir is a folder/ },
  { what: 'an empty config', args: ['apply', '--yes'], files: { [CONFIG]: '' }, says: /empty|missing/ },
  { what: 'a tab in the YAML', ...changed('  cp-1:', '\tcp-1:'), args: ['plan'], says: /tab/i },
  {
    what: 'a bracket that is not closed',
    ...changed('v1.14.1 }', 'v1.14.1'),
    args: ['status'],
    says: /oxherd\.yaml:\d+/,
  },
  {
    what: 'a key written twice',
    ...changed('talos:', 'cluster: {}\ntalos:'),
    args: ['plan'],
    says: /twice|unique|duplicate/i,
  },
  { what: 'a key with a typing error', ...changed('memory:', 'memroy:'), args: ['plan'], says: /memroy/ },
  {
    what: 'a number for the nodes',
    files: { [CONFIG]: `${smallFile().split('nodes:')[0]}nodes: 3\n` },
    args: ['apply', '--yes'],
    says: /nodes/,
  },
  {
    what: 'no nodes',
    files: { [CONFIG]: `${smallFile().split('nodes:')[0]}nodes: {}\n` },
    args: ['plan'],
    says: /node/,
  },
  { what: 'an unknown role', ...changed('role: worker', 'role: boss'), args: ['plan'], says: /controlplane/ },
  {
    what: 'an address that is none',
    ...changed('10.20.30.51', '10.20.30.510'),
    args: ['plan'],
    says: /10\.20\.30\.510/,
  },
  {
    what: 'an address outside of the subnet',
    ...changed('10.20.30.51', '10.99.30.51'),
    args: ['apply', '--yes'],
    says: /10\.99\.30\.51/,
  },
  {
    what: 'one address for two nodes',
    ...changed('10.20.30.51', '10.20.30.41'),
    args: ['plan'],
    says: /10\.20\.30\.41/,
  },
  {
    what: 'a VM id that Proxmox refuses',
    ...changed('vmid: 151', 'vmid: 7'),
    args: ['plan'],
    says: /vmid|100/,
  },
  { what: 'one VM id for two nodes', ...changed('vmid: 151', 'vmid: 141'), args: ['plan'], says: /141/ },
  { what: 'a Talos version that is none', ...changed('v1.14.1', 'latest'), args: ['plan'], says: /latest/ },
  {
    what: 'a pair of versions that is not supported',
    ...changed('v1.36.0', 'v1.20.0'),
    args: ['apply', '--yes'],
    says: /1\.20/,
  },
  {
    what: 'an endpoint without TLS',
    ...changed('https://pve1', 'http://pve1'),
    args: ['plan'],
    says: /https/,
  },
  {
    what: 'a fingerprint that is none',
    files: { [CONFIG]: smallFile({ proxmox: 'endpoint: "https://pve1.lan:8006", fingerprint: "AB:CD"' }) },
    args: ['plan'],
    says: /fingerprint/,
  },
  {
    what: 'a CA file that is not there',
    files: { [CONFIG]: smallFile({ proxmox: 'endpoint: "https://pve1.lan:8006", ca: ca.pem' }) },
    args: ['plan'],
    env: { OXHERD_PROXMOX_TOKEN: 'a@pve!b=00000000-0000-4000-8000-000000000000' },
    says: /ca\.pem/,
  },
  {
    what: 'a size that is none',
    ...changed('memory: 4GiB', 'memory: much'),
    args: ['plan'],
    says: /much|size/,
  },
  {
    what: 'a subnet that is none',
    ...changed('10.20.30.0/24', '10.20.30.0/99'),
    args: ['plan'],
    says: /subnet|10\.20\.30\.0\/99/,
  },
  {
    what: 'a gateway outside of the subnet',
    ...changed('gateway: 10.20.30.254', 'gateway: 10.9.9.1'),
    args: ['plan'],
    says: /10\.9\.9\.1/,
  },
  {
    what: 'bytes that are no text',
    files: { [CONFIG]: '\u0000\u0001\u0002' },
    args: ['plan'],
    says: /oxherd\.yaml/,
  },
  {
    what: 'an alias that names itself',
    files: { [CONFIG]: 'a: &a [*a, *a]\n' },
    args: ['plan'],
    says: /oxherd\.yaml/,
  },
  {
    what: 'a patch that is not there',
    files: { [CONFIG]: smallFile().replace('v1.14.1 }', 'v1.14.1, patches: [nowhere.yaml] }') },
    args: ['plan'],
    says: /nowhere\.yaml/,
  },
  {
    what: 'a volume of an unknown type',
    files: { [CONFIG]: smallFile({ volumes: ['data: { type: floppy, size: 1GiB }'] }) },
    args: ['plan'],
    says: /floppy|type/,
  },
];

/** Flags, words and values on the command line. */
export const BAD_FLAGS: readonly BadInput[] = [
  { what: 'an unknown command', args: ['plna'], says: /plna[\s\S]*plan/ },
  { what: 'an unknown flag', args: ['plan', '--bogus'], says: /--bogus/ },
  { what: 'a flag without its value', args: ['plan', '-c'], says: /-c|config/ },
  { what: 'a choice that is none', args: ['plan', '--format', 'pdf'], says: /pdf[\s\S]*markdown/ },
  { what: 'a word too many', args: ['plan', 'extra'], says: /too many arguments/ },
  { what: 'a word too few', args: ['lab', 'fault'], says: /missing required argument/ },
  { what: 'a group without its command', args: ['volumes'], says: /volumes/ },
  { what: 'flags that exclude each other', args: ['plan', '--drift-only', '--out', 'p.json'], says: /drift/ },
  { what: 'a log format that is none', args: ['--log-format', 'xml', 'plan'], says: /xml[\s\S]*json/ },
  { what: 'an unknown fault', args: ['--lab', '--fault', 'bogus', 'plan'], says: /there is no fault bogus/ },
  { what: 'an unknown lab profile', args: ['--lab', '--lab-profile', 'bogus', 'plan'], says: /bogus/ },
  { what: 'a port that is none', args: ['lab', 'serve', '--port', 'abc'], says: /--port/ },
  { what: 'a port too high', args: ['lab', 'serve', '--port', '99999'], says: /--port/ },
  {
    what: 'a fault that is neither on nor off',
    args: ['lab', 'fault', 'no-quorum', 'maybe'],
    says: /on or off/,
  },
  { what: 'an unknown shell', args: ['completion', 'tcsh'], says: /tcsh/ },
  { what: 'a version that is none', args: ['upgrade', '--talos', 'banana'], says: /banana/ },
  {
    what: 'a kind of Kubernetes that is none',
    args: ['--lab', '--kubernetes', 'fast', 'plan'],
    says: /fast/,
  },
];

const TOKEN = 'root@pam!lab=00000000-0000-4000-8000-000000000000';
const withToken = { env: { OXHERD_PROXMOX_TOKEN: TOKEN } };

/** Tokens, keys, and files that a command is given. */
export const BAD_FILES: readonly BadInput[] = [
  { what: 'a token that is not set', args: ['plan'], says: /OXHERD_PROXMOX_TOKEN/ },
  {
    what: 'a token that is none',
    args: ['plan'],
    env: { OXHERD_PROXMOX_TOKEN: 'secret-words' },
    says: /does not look like/,
  },
  {
    what: 'a token in the config',
    ...changed('env:OXHERD_PROXMOX_TOKEN', TOKEN),
    args: ['plan'],
    says: /token/,
  },
  {
    what: 'a token file that is not there',
    ...changed('env:OXHERD_PROXMOX_TOKEN', 'file:token'),
    args: ['apply', '--yes'],
    says: /token/,
  },
  {
    what: 'a token file that is a folder',
    files: { [CONFIG]: smallFile().replace('env:OXHERD_PROXMOX_TOKEN', 'file:token'), 'token/': '' },
    args: ['plan'],
    says: /token/,
  },
  {
    what: 'a token in a SOPS file that is not there',
    ...changed('env:OXHERD_PROXMOX_TOKEN', 'sops:s.yaml#token'),
    args: ['plan'],
    says: /s\.yaml/,
  },
  { what: 'a saved plan that is not there', args: ['apply', 'none.json'], ...withToken, says: /none\.json/ },
  {
    what: 'a saved plan that is no JSON',
    args: ['apply', 'p.json'],
    files: { 'p.json': '{' },
    ...withToken,
    says: /not a plan file/,
  },
  {
    what: 'a saved plan that is something else',
    args: ['apply', 'p.json'],
    files: { 'p.json': '{"a":1}' },
    ...withToken,
    says: /not a plan file/,
  },
  {
    what: 'a folder as saved plan',
    args: ['apply', 'p/'],
    files: { 'p/': '' },
    ...withToken,
    says: /p is a folder/,
  },
  {
    what: 'secrets that are no YAML',
    args: ['plan'],
    files: { 'secrets.sops.yaml': 'a: [' },
    ...withToken,
    says: /secrets\.sops\.yaml/,
  },
  {
    what: 'secrets without their parts',
    args: ['plan'],
    files: { 'secrets.sops.yaml': 'cluster: {}\n' },
    ...withToken,
    says: /secrets\.sops\.yaml/,
  },
  {
    what: 'secrets that no key opens',
    args: ['plan'],
    files: { 'secrets.sops.yaml': LOCKED() },
    ...withToken,
    says: /key/,
  },
  { what: 'an import of nothing', args: ['secrets', 'import', 'none'], says: /there is no none/ },
  { what: 'an import of something else', args: ['secrets', 'import', CONFIG], says: /oxherd\.yaml/ },
  { what: 'a snapshot that is not there', args: ['etcd', 'verify', 'none.db'], says: /none\.db/ },
  { what: 'a snapshot that is none', args: ['etcd', 'verify', CONFIG], says: /oxherd\.yaml/ },
  { what: 'a restore from nothing', args: ['etcd', 'restore', 'none.db'], ...withToken, says: /none\.db/ },
  { what: 'a conversion of an oxherd.yaml', args: ['convert', CONFIG], says: /already/ },
  { what: 'a conversion of nothing', args: ['convert', 'none.tfvars'], says: /none\.tfvars/ },
  {
    what: 'a conversion of variables that are none',
    args: ['convert', 'a.tfvars'],
    files: { 'a.tfvars': 'a = {{{' },
    says: /a\.tfvars/,
  },
  { what: 'an unknown run', args: ['runs', 'show', 'none'], says: /there is no run none/ },
  { what: 'a config that exists', args: ['init', '--name', 'small'], says: /oxherd\.yaml/ },
];

/** As sops writes it, for a key that is on no computer. */
function LOCKED(): string {
  return `cluster:
    id: ENC[AES256_GCM,data:AAAA,iv:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=,tag:AAAAAAAAAAAAAAAAAAAAAA==,type:str]
sops:
    age:
        - recipient: age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p
          enc: |
            -----BEGIN AGE ENCRYPTED FILE-----
            YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBhYWFh
            -----END AGE ENCRYPTED FILE-----
    lastmodified: "2026-01-01T00:00:00Z"
    mac: ENC[AES256_GCM,data:AAAA,iv:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=,tag:AAAAAAAAAAAAAAAAAAAAAA==,type:str]
    version: 3.11.0
`;
}
