/** Which file runs which kind of step. */
import type { Step, StepKind } from '../plan/steps.js';
import { addDrive } from './steps/drives/add-drive.js';
import { addHelperDrive } from './steps/drives/add-helper-drive.js';
import { adoptVolume } from './steps/drives/adopt-volume.js';
import { attachDrive } from './steps/drives/attach-drive.js';
import { awaitGrowth } from './steps/drives/await-growth.js';
import { deleteVolume } from './steps/drives/delete-volume.js';
import { detachDrive } from './steps/drives/detach-drive.js';
import { forgetVolume } from './steps/drives/forget-volume.js';
import { growDrive } from './steps/drives/grow-drive.js';
import { handOverDrive } from './steps/drives/hand-over-drive.js';
import { moveDrive } from './steps/drives/move-drive.js';
import { renewDrive } from './steps/drives/renew-drive.js';
import { setDriveOptions } from './steps/drives/set-drive-options.js';
import { removeHaResource } from './steps/ha/remove-ha-resource.js';
import { removeHaRule } from './steps/ha/remove-ha-rule.js';
import { setHaResource } from './steps/ha/set-ha-resource.js';
import { setHaRule } from './steps/ha/set-ha-rule.js';
import { applyObject } from './steps/kubernetes/apply-object.js';
import { awaitApi } from './steps/kubernetes/await-api.js';
import { awaitCsiDriver } from './steps/kubernetes/await-csi-driver.js';
import { awaitGitops } from './steps/kubernetes/await-gitops.js';
import { awaitNodes } from './steps/kubernetes/await-nodes.js';
import { createCsiToken } from './steps/kubernetes/create-csi-token.js';
import { createCsiVolume } from './steps/kubernetes/create-csi-volume.js';
import { createSealedKey } from './steps/kubernetes/create-sealed-key.js';
import { deleteCsiVolume } from './steps/kubernetes/delete-csi-volume.js';
import { deleteObject } from './steps/kubernetes/delete-object.js';
import { forgetNode } from './steps/kubernetes/forget-node.js';
import { growClaim } from './steps/kubernetes/grow-claim.js';
import { growCsiVolume } from './steps/kubernetes/grow-csi-volume.js';
import { installCilium } from './steps/kubernetes/install-cilium.js';
import { installGitops } from './steps/kubernetes/install-gitops.js';
import { markNode } from './steps/kubernetes/mark-node.js';
import { retireNode } from './steps/kubernetes/retire-node.js';
import { syncManifests } from './steps/kubernetes/sync-manifests.js';
import { upgradeComponent } from './steps/kubernetes/upgrade-component.js';
import { awaitMachine } from './steps/machines/await-machine.js';
import { beginDisruption } from './steps/machines/begin-disruption.js';
import { bootstrap } from './steps/machines/bootstrap.js';
import { changeConfig } from './steps/machines/change-config.js';
import { configureMachine } from './steps/machines/configure-machine.js';
import { createSecrets } from './steps/machines/create-secrets.js';
import { endDisruption } from './steps/machines/end-disruption.js';
import { pullImages } from './steps/machines/pull-images.js';
import { pullInstaller } from './steps/machines/pull-installer.js';
import { rebootMachine } from './steps/machines/reboot-machine.js';
import { removeMember } from './steps/machines/remove-member.js';
import { takeSnapshot } from './steps/machines/take-snapshot.js';
import { upgradeTalos } from './steps/machines/upgrade-talos.js';
import { writeClientFiles } from './steps/machines/write-client-files.js';
import { createPool } from './steps/proxmox/create-pool.js';
import { createUser } from './steps/proxmox/create-user.js';
import { downloadImage } from './steps/proxmox/download-image.js';
import { joinPool } from './steps/proxmox/join-pool.js';
import { removeBackupJob } from './steps/proxmox/remove-backup-job.js';
import { removeLegacyAccess } from './steps/proxmox/remove-legacy-access.js';
import { setAcl } from './steps/proxmox/set-acl.js';
import { setBackupJob } from './steps/proxmox/set-backup-job.js';
import { setRole } from './steps/proxmox/set-role.js';
import { adoptVm } from './steps/vms/adopt-vm.js';
import { createDataVm } from './steps/vms/create-data-vm.js';
import { createTalosVm } from './steps/vms/create-talos-vm.js';
import { deleteOldSystemDisk } from './steps/vms/delete-old-system-disk.js';
import { destroyDataVm } from './steps/vms/destroy-data-vm.js';
import { destroyTalosVm } from './steps/vms/destroy-talos-vm.js';
import { markDrained } from './steps/vms/mark-drained.js';
import { migrateVm } from './steps/vms/migrate-vm.js';
import { releaseVm } from './steps/vms/release-vm.js';
import { replaceOsDisk } from './steps/vms/replace-os-disk.js';
import { restartVm } from './steps/vms/restart-vm.js';
import { setOptions } from './steps/vms/set-options.js';
import { startVm } from './steps/vms/start-vm.js';
import { stopVm } from './steps/vms/stop-vm.js';
import { unmarkDrained } from './steps/vms/unmark-drained.js';
import type { Executor, StepContext, StepOutcome } from './support/context.js';

const EXECUTORS: { readonly [K in StepKind]: Executor<K> } = {
  'download-image': downloadImage,
  'create-data-vm': createDataVm,
  'create-talos-vm': createTalosVm,
  'add-drive': addDrive,
  'attach-drive': attachDrive,
  'detach-drive': detachDrive,
  'grow-drive': growDrive,
  'move-drive': moveDrive,
  'migrate-vm': migrateVm,
  'forget-node': forgetNode,
  'mark-drained': markDrained,
  'unmark-drained': unmarkDrained,
  'hand-over-drive': handOverDrive,
  'set-options': setOptions,
  'set-drive-options': setDriveOptions,
  'add-helper-drive': addHelperDrive,
  'start-vm': startVm,
  'stop-vm': stopVm,
  'restart-vm': restartVm,
  'replace-os-disk': replaceOsDisk,
  'delete-old-system-disk': deleteOldSystemDisk,
  'renew-drive': renewDrive,
  'destroy-talos-vm': destroyTalosVm,
  'destroy-data-vm': destroyDataVm,
  'delete-volume': deleteVolume,
  'forget-volume': forgetVolume,
  'adopt-volume': adoptVolume,
  'adopt-vm': adoptVm,
  'release-vm': releaseVm,
  'create-csi-volume': createCsiVolume,
  'delete-csi-volume': deleteCsiVolume,
  'create-secrets': createSecrets,
  'configure-machine': configureMachine,
  'change-config': changeConfig,
  'reboot-machine': rebootMachine,
  bootstrap,
  'await-growth': awaitGrowth,
  'await-machine': awaitMachine,
  'write-client-files': writeClientFiles,
  'retire-node': retireNode,
  'remove-member': removeMember,
  'take-snapshot': takeSnapshot,
  'upgrade-component': upgradeComponent,
  'pull-installer': pullInstaller,
  'upgrade-talos': upgradeTalos,
  'begin-disruption': beginDisruption,
  'end-disruption': endDisruption,
  'await-api': awaitApi,
  'mark-node': markNode,
  'apply-object': applyObject,
  'delete-object': deleteObject,
  'install-cilium': installCilium,
  'create-csi-token': createCsiToken,
  'create-sealed-key': createSealedKey,
  'pull-images': pullImages,
  'sync-manifests': syncManifests,
  'grow-csi-volume': growCsiVolume,
  'grow-claim': growClaim,
  'await-csi-driver': awaitCsiDriver,
  'install-gitops': installGitops,
  'await-gitops': awaitGitops,
  'await-nodes': awaitNodes,
  'set-role': setRole,
  'create-user': createUser,
  'set-acl': setAcl,
  'set-backup-job': setBackupJob,
  'set-ha-resource': setHaResource,
  'remove-ha-resource': removeHaResource,
  'set-ha-rule': setHaRule,
  'remove-ha-rule': removeHaRule,
  'remove-backup-job': removeBackupJob,
  'create-pool': createPool,
  'join-pool': joinPool,
  'remove-legacy-access': removeLegacyAccess,
};

export function execute(step: Step, context: StepContext): Promise<StepOutcome> {
  // The table pairs each kind with its own executor; TypeScript cannot follow that through the union.
  return (EXECUTORS[step.kind] as Executor<StepKind>)(step, context);
}
