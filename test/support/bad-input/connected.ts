/** Kinds of bad input that show only once Proxmox is asked. */
import type { BadInput } from './kinds.js';

export const BAD_REQUESTS: readonly BadInput[] = [
  { what: 'a restart of an unknown node', args: ['restart', 'nope', '--yes'], says: /no node nope/ },
  { what: 'a restart of no node', args: ['restart', '--yes'], says: /name the nodes/ },
  { what: 'a replacement of an unknown node', args: ['replace', 'nope', '--yes'], says: /no node nope/ },
  { what: 'an apply of an unknown node', args: ['apply', '--only', 'nope', '--yes'], says: /no node nope/ },
  { what: 'a reset of an unknown node', args: ['apply', '--fresh', 'nope', '--yes'], says: /nope/ },
  { what: 'a deletion of an unknown volume', args: ['volumes', 'delete', 'nope'], says: /no volume nope/ },
  { what: 'an unknown volume forgotten', args: ['volumes', 'forget', 'nope'], says: /nope/ },
  {
    what: 'an unknown volume adopted',
    args: ['volumes', 'adopt', 'nope', 'local-zfs:vm-9-disk-0'],
    says: /nope/,
  },
  { what: 'an unknown host drained', args: ['host', 'drain', 'nope', '--yes'], says: /nope/ },
  { what: 'an unknown host returned', args: ['host', 'return', 'nope', '--yes'], says: /nope/ },
  { what: 'an unknown host lost', args: ['host', 'lost', 'nope'], says: /nope/ },
  { what: 'hosts that Proxmox does not have', args: ['apply', '--yes'], says: /no Proxmox host pve2/ },
  { what: 'a kubeconfig without secrets', args: ['kubeconfig'], says: /no secrets/ },
  { what: 'an upgrade of nothing', args: ['upgrade', '--yes'], says: /version|apply/ },
  {
    what: 'a plan written over a folder',
    args: ['plan', '--out', 'p'],
    files: { 'p/': '' },
    says: /p is a folder/,
  },
];
