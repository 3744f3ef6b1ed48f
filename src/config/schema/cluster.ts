import { z } from 'zod';
import { optional, required } from './key.js';
import {
  dnsLabel,
  dnsName,
  fragmentOrText,
  httpsOrigin,
  httpUrl,
  ipv4,
  serverName,
  sha256,
  subnet,
  version,
} from './values.js';

const manifest = z.union([
  httpUrl,
  z.strictObject({
    url: required(httpUrl, 'Where Talos fetches the manifest.'),
    sha256: optional(sha256, 'What the file must hash to.'),
  }),
]);

export const clusterSchema = z.strictObject({
  name: required(dnsLabel, 'Name of the cluster; part of every identity, so it never changes.', {
    example: 'homelab',
  }),
  env: optional(
    dnsLabel,
    'Environment such as `dev` or `prod`: a prefix for names that several clusters on one Proxmox would share. Part of every identity.',
    { example: 'dev' },
  ),
  vip: optional(
    ipv4,
    'Address that the control planes share. Needed with several of them, unless there is an `endpoint`.',
    {
      example: '10.20.30.40',
    },
  ),
  endpoint: optional(
    httpsOrigin(6443, 'https://k8s.example.com:6443'),
    'Address of the Kubernetes API where it is neither the VIP nor the only control plane, such as a load balancer.',
    { example: 'https://k8s.example.com:6443' },
  ),
  kubernetes: required(version, 'Kubernetes version.', { example: 'v1.36.0' }),
  scheduleOnControlPlanes: optional(z.boolean(), 'Whether workloads may run on control planes.', {
    byDefault: false,
  }),
  onBoot: optional(z.boolean(), 'Whether VMs start when their Proxmox host does.', { byDefault: true }),
  domain: optional(dnsName, 'DNS domain of the cluster.', { byDefault: 'cluster.local' }),
  podSubnets: optional(z.array(subnet).min(1).max(2), 'Networks that pods get addresses from.', {
    byDefault: ['10.244.0.0/16'],
  }),
  serviceSubnets: optional(z.array(subnet).min(1).max(2), 'Networks that services get addresses from.', {
    byDefault: ['10.96.0.0/12'],
  }),
  certSANs: optional(z.array(serverName), 'Further names and addresses in the certificates of both APIs.', {
    byDefault: [],
  }),
  apiServer: optional(fragmentOrText, 'Goes into the machine config as `cluster.apiServer`.', {
    example: { extraArgs: { 'oidc-client-id': 'kubectl' } },
  }),
  kubelet: optional(fragmentOrText, 'Goes into the machine config as `machine.kubelet`.', {
    example: { extraArgs: { 'max-pods': '200' } },
  }),
  machineFeatures: optional(fragmentOrText, 'Goes into the machine config as `machine.features`.', {
    example: { hostDNS: { forwardKubeDNSToHost: false } },
  }),
  extraManifests: optional(z.array(manifest), 'Manifests that Talos fetches and applies at bootstrap.', {
    byDefault: [],
    example: ['https://example.com/v1.2.3/install.yaml'],
  }),
});
