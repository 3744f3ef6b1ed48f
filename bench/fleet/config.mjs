/** The config of one of the clusters of a site: three control planes and three workers; `memory` is that of the workers, in GiB. */
export function configOf(index, memory) {
  const net = `10.20.${30 + index}`;
  const vmid = 10_000 + 100 * index;
  return `cluster: { name: bench-${index}, vip: ${net}.40, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: ${net}.0/24, gateway: ${net}.254, dns: [${net}.254] }
defaults:
  all: { cores: 2, memory: 2GiB, disk: 6GiB }
  worker: { memory: ${memory}GiB }
nodes:
  cp: { role: controlplane, count: 3, hosts: [pve1, pve2, pve3], ip: ${net}.41, vmid: ${vmid + 41} }
  work: { role: worker, count: 3, hosts: [pve1, pve2, pve3], ip: ${net}.51, vmid: ${vmid + 51} }
`;
}
