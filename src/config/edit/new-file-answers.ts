/** What `oxherd init` must know, how each answer is checked, and what holds when there is none. */
import type { z } from 'zod';
import { addToIPv4, type Cidr, cidrContains, formatCidr, parseCidr, parseIPv4 } from '../../model/address.js';
import { cidr, dnsLabel, hostName, httpsOrigin, ipv4, version } from '../schema/values.js';
import { type FoundSite, foundNetwork } from './found-site.js';

const ANSWER_KEYS = [
  'name',
  'endpoint',
  'hosts',
  'subnet',
  'gateway',
  'controlplanes',
  'workers',
  'vip',
  'talos',
  'kubernetes',
] as const;
export type AnswerKey = (typeof ANSWER_KEYS)[number];
export type Answers = Readonly<Record<AnswerKey, string>>;

export interface Question {
  readonly key: AnswerKey;
  readonly message: string;
  /** Shown as an example where there is no answer to fall back on. */
  readonly example: string;
  /** `undefined`: someone must answer. */
  readonly fallback: (given: Partial<Answers>, found?: FoundSite) => string | undefined;
  /** What is wrong with an answer. */
  readonly problem: (text: string, given: Partial<Answers>) => string | undefined;
}

const MAX_NODES = 500;

function by(schema: z.ZodType): Question['problem'] {
  return (text) => schema.safeParse(text).error?.issues[0]?.message;
}

function count(least: number): Question['problem'] {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : -1;
    return value >= least && value <= MAX_NODES
      ? undefined
      : `\`${text}\` is not a number from ${least} to ${MAX_NODES}`;
  };
}

function subnetOf(given: Partial<Answers>): Cidr | undefined {
  return given.subnet === undefined ? undefined : parseCidr(given.subnet);
}

const inSubnet: Question['problem'] = (text, given) => {
  const wrong = by(ipv4)(text, given);
  const subnet = subnetOf(given);
  const ip = parseIPv4(text);
  if (wrong || !subnet || !ip) return wrong;
  return cidrContains(subnet, ip) ? undefined : `${text} lies outside ${formatCidr(subnet)}`;
};

export function hostsOf(text: string): string[] {
  return text
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '');
}

const none = (): undefined => undefined;

/** The hosts' own, where the nodes are in their network; else its first address. */
function gatewayOf(given: Partial<Answers>, found: FoundSite): string | undefined {
  const subnet = subnetOf(given);
  if (!subnet) return undefined;
  const own = foundNetwork(found);
  return own.subnet === formatCidr(subnet) ? own.gateway : addToIPv4(subnet.network, 1);
}

export const QUESTIONS: readonly Question[] = [
  {
    key: 'name',
    message: 'What is the cluster called?',
    example: 'homelab',
    fallback: (_, found) => found && 'homelab',
    problem: by(dnsLabel),
  },
  {
    key: 'endpoint',
    message: 'Where is the Proxmox API?',
    example: 'https://pve1.lan:8006',
    fallback: none,
    problem: by(httpsOrigin(8006, 'https://pve1.lan:8006')),
  },
  {
    key: 'hosts',
    message: 'Which Proxmox hosts run it? (names, separated by commas)',
    example: 'pve1, pve2, pve3',
    fallback: (_, found) => found?.hosts.map(({ name }) => name).join(', '),
    problem: (text) => {
      const hosts = hostsOf(text);
      if (hosts.length === 0) return 'name at least one host';
      return hosts.map((host) => by(hostName)(host, {})).find((wrong) => wrong !== undefined);
    },
  },
  {
    key: 'subnet',
    message: 'Which network are the nodes in?',
    example: '10.20.30.0/24',
    fallback: (_, found) => found && (foundNetwork(found).subnet ?? '10.20.30.0/24'),
    problem: by(cidr),
  },
  {
    key: 'gateway',
    message: 'What is its gateway?',
    example: '10.20.30.254',
    fallback: (given, found) => found && gatewayOf(given, found),
    problem: inSubnet,
  },
  {
    key: 'controlplanes',
    message: 'How many control planes?',
    example: '3',
    fallback: ({ hosts = '' }) => (hostsOf(hosts).length >= 3 ? '3' : '1'),
    problem: count(1),
  },
  {
    key: 'workers',
    message: 'How many workers?',
    example: '3',
    fallback: ({ hosts = '' }) => (hostsOf(hosts).length >= 3 ? String(hostsOf(hosts).length) : '0'),
    problem: count(0),
  },
  {
    key: 'vip',
    message: 'Which free address shall the control planes share? (empty: the next free one)',
    example: '10.20.30.40',
    fallback: () => '',
    problem: (text, given) => (text === '' ? undefined : inSubnet(text, given)),
  },
  {
    key: 'talos',
    message: 'Which Talos version?',
    example: 'v1.14.1',
    fallback: () => 'v1.14.1',
    problem: by(version),
  },
  {
    key: 'kubernetes',
    message: 'Which Kubernetes version?',
    example: 'v1.36.0',
    fallback: () => 'v1.36.0',
    problem: by(version),
  },
];
