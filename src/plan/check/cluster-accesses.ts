/** Images, access rights, and what is applied in the cluster. */
import { refKey } from '../../design/kubernetes/managed-object.js';
import type { Step } from '../steps.js';
import { type Access, reads, writes } from './access.js';
import type { PlanIndex } from './machine-accesses.js';

export function clusterAccesses(step: Step, index: PlanIndex): Access[] {
  return [
    ...imageAccesses(step, index),
    ...accessAccesses(step, index),
    ...objectAccesses(step, index),
    ...haAccesses(step, index),
  ];
}

/** Proxmox destroys no VM that HA looks after. */
function haAccesses(step: Step, { of }: PlanIndex): Access[] {
  switch (step.kind) {
    case 'set-ha-resource':
      return [writes(`ha ${step.sid}`, 'set')];
    case 'remove-ha-resource':
      return [writes(`ha ${step.sid}`, 'none')];
    case 'set-ha-rule': {
      const named = step.settings.resources?.split(',') ?? [];
      return of('set-ha-resource')
        .filter(({ sid }) => named.includes(sid))
        .map(({ sid }) => reads(`ha ${sid}`, 'set'));
    }
    case 'destroy-talos-vm':
    case 'destroy-data-vm':
      return of('remove-ha-resource')
        .filter(({ sid }) => sid === `vm:${step.vmid}`)
        .map(({ sid }) => reads(`ha ${sid}`, 'none'));
    default:
      return [];
  }
}

function imageAccesses(step: Step, { of }: PlanIndex): Access[] {
  switch (step.kind) {
    case 'download-image':
      return [writes(`image ${step.host} ${step.volid}`, 'there')];
    case 'create-talos-vm': {
      const cdroms = Object.values(step.auxiliary).flatMap((one) =>
        one.kind === 'cdrom' ? [one.volid] : [],
      );
      return imagesFor(step, [...step.drives.map((drive) => drive.importFrom), ...cdroms], of);
    }
    case 'replace-os-disk':
      return imagesFor(step, [step.drive.importFrom], of);
    case 'pull-images':
      return [writes(`images ${step.node}`, 'pulled')];
    case 'begin-disruption':
    case 'upgrade-component':
      return of('pull-images').map(({ node }) => reads(`images ${node}`));
    default:
      return [];
  }
}

/** On its own host, or on a shared storage through the host that it waits for: the image of the same name elsewhere is another one. */
function imagesFor(
  { host, needs }: Pick<Step, 'needs'> & { readonly host: string },
  volids: readonly (string | undefined)[],
  of: PlanIndex['of'],
): Access[] {
  return of('download-image')
    .filter(({ volid }) => volids.includes(volid))
    .filter((image) => image.host === host || needs.includes(image.id))
    .map((image) => reads(`image ${image.host} ${image.volid}`));
}

function accessAccesses(step: Step, { of }: PlanIndex): Access[] {
  switch (step.kind) {
    case 'set-role':
      return [writes(`role ${step.role}`, 'there')];
    case 'create-user':
      return [writes(`user ${step.user}`, 'there')];
    case 'create-pool':
      return [writes(`pool ${step.pool}`, 'there')];
    case 'set-acl':
      return [
        reads(`role ${step.role}`),
        reads(`user ${step.subject.id}`),
        reads(`pool ${step.path.replace(/^\/pool\//, '')}`),
      ];
    case 'join-pool':
      return [reads(`pool ${step.pool}`)];
    case 'create-csi-token':
      return [
        ...of('set-role').map(({ role }) => reads(`role ${role}`)),
        ...of('create-user').map(({ user }) => reads(`user ${user}`)),
        ...of('create-pool').map(({ pool }) => reads(`pool ${pool}`)),
      ];
    default:
      return [];
  }
}

function objectAccesses(step: Step, { of }: PlanIndex): Access[] {
  switch (step.kind) {
    case 'await-api':
      return [
        writes('api', 'answers'),
        ...of('await-machine').flatMap(({ node, role }) =>
          role === 'controlplane' ? [reads(`ready ${node}`)] : [],
        ),
      ];
    case 'upgrade-component':
      return [writes('kubernetes', step.id)];
    case 'sync-manifests':
      return [
        writes('kubernetes', step.id),
        ...of('upgrade-talos').flatMap(({ node, role }) =>
          role === 'controlplane' ? [reads(`talos ${node}`)] : [],
        ),
        // Workers' configs name no manifests.
        ...(step.urls
          ? of('change-config').flatMap(({ node, ip }) =>
              step.controlPlanes.includes(ip) ? [reads(`config ${node}`)] : [],
            )
          : []),
      ];
    case 'apply-object':
      return [
        reads('api'),
        reads('kubernetes'),
        writes(`object ${refKey(step.object)}`, step.hash),
        ...earlierObjects(step, of),
        ...(step.object.kind === 'PersistentVolume' ? diskSteps(step.object.name, of) : []),
      ];
    case 'delete-object':
      return [reads('api'), reads('kubernetes')];
    case 'install-cilium':
      return [reads('api'), reads('kubernetes'), writes('network', step.hash)];
    case 'install-gitops':
      return [reads('api'), reads('kubernetes'), writes('gitops', step.hash)];
    case 'await-gitops':
      return [reads('api'), reads('gitops')];
    case 'create-csi-token':
      return [reads('api'), reads('object v1 Namespace csi-proxmox')];
    case 'create-sealed-key':
      return [reads('api'), reads('object v1 Namespace sealed-secrets')];
    case 'await-nodes':
      return [
        reads('api'),
        reads('network'),
        ...of('await-machine').map(({ node }) => reads(`ready ${node}`)),
      ];
    case 'create-csi-volume':
      return [writes(`disk ${step.volumeName}`, 'there')];
    case 'grow-csi-volume':
      return [writes(`disk ${step.volume}`, 'grown')];
    case 'grow-claim':
      return [reads('api'), reads(`disk ${step.volume}`), reads(`object v1 PersistentVolume ${step.volume}`)];
    default:
      return [];
  }
}

function earlierObjects(step: Extract<Step, { kind: 'apply-object' }>, of: PlanIndex['of']): Access[] {
  const { kind, namespace } = step.object;
  return of('apply-object').flatMap(({ object }) => {
    const isNamespace = object.kind === 'Namespace' && object.name === namespace;
    const isDefinition = object.kind === 'CustomResourceDefinition' && kind !== 'CustomResourceDefinition';
    return isNamespace || isDefinition ? [reads(`object ${refKey(object)}`)] : [];
  });
}

/** A volume says the size of its disk once the disk has it. */
function diskSteps(name: string, of: PlanIndex['of']): Access[] {
  const made = of('create-csi-volume').filter(({ volumeName }) => volumeName.endsWith(`-${name}`));
  const grown = of('grow-csi-volume').filter(({ volume }) => volume === name);
  return [
    ...made.map(({ volumeName }) => reads(`disk ${volumeName}`)),
    ...grown.map(() => reads(`disk ${name}`)),
  ];
}
