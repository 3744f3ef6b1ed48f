/** Cases that still go wrong, each with what is missing. */

interface KnownFailure {
  readonly read: RegExp;
  readonly line: RegExp;
  readonly why: string;
}

const CLAIM = /^(plan says|plan exits 0|status says)/;

const KNOWN: readonly KnownFailure[] = [
  {
    read: /proxmox\.(clusterStatus|permissions|replicationJobs|bridges|backupJobs|nodeStatus|roles|users|acls|pools|pool|tokens)\(/,
    line: CLAIM,
    why: 'lists of Proxmox that could not be read are not among the parts that were not compared',
  },
  {
    read: /TimeStatuses|ExtensionStatuses|"persistent"|"Lease"/,
    line: CLAIM,
    why: 'parts of a machine that could not be read are not among the parts that were not compared',
  },
  {
    read: /proxmox\.vmStates\(|without \^(Sys|Pool)/,
    line: CLAIM,
    why: 'VMs that left the file, and rights on lists, are not among the parts that were not compared',
  },
  {
    read: /proxmox\.vmStates\(/,
    line: /configure-machine/,
    why: 'a VM whose status is unknown counts as off',
  },
  {
    read: /nothing is there .*isFreeId/,
    line: /bootstrap/,
    why: 'bootstrap leaves a hidden control plane out',
  },
  {
    read: /rename .*"kind":"Node"/,
    line: /goesAs/,
    why: 'without the Node objects the former name is not known',
  },
];

export function isKnown(name: string, line: string): boolean {
  return KNOWN.some((known) => known.read.test(name) && known.line.test(line));
}
