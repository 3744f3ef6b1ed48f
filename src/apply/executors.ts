/** Which file carries out which kind of step. */
import type { Step, StepKind } from '../plan/steps.js';
import { createPool, createUser, joinPool, setAcl, setRole } from './steps/access.js';
import { addDrive } from './steps/add-drive.js';
import { adoptVolume } from './steps/adopt-volume.js';
import { applyObject, deleteObject } from './steps/apply-object.js';
import { attachDrive } from './steps/attach-drive.js';
import { awaitApi } from './steps/await-api.js';
import { awaitCsiDriver } from './steps/await-csi-driver.js';
import { awaitGrowth } from './steps/await-growth.js';
import { awaitMachine } from './steps/await-machine.js';
import { awaitNodes } from './steps/await-nodes.js';
import { bootstrap } from './steps/bootstrap.js';
import { changeConfig, rebootMachine } from './steps/change-config.js';
import { configureMachine } from './steps/configure-machine.js';
import { createCsiToken } from './steps/create-csi-token.js';
import { createDataVm } from './steps/create-data-vm.js';
import { createSealedKey } from './steps/create-sealed-key.js';
import { createTalosVm } from './steps/create-talos-vm.js';
import { createCsiVolume, deleteCsiVolume } from './steps/csi-volumes.js';
import { deleteVolume } from './steps/delete-volume.js';
import { destroyDataVm, destroyTalosVm } from './steps/destroy-vms.js';
import { detachDrive } from './steps/detach-drive.js';
import { downloadImage } from './steps/download-image.js';
import { forgetNode } from './steps/forget-node.js';
import { forgetVolume } from './steps/forget-volume.js';
import { growClaim, growCsiVolume } from './steps/grow-csi-volume.js';
import { growDrive } from './steps/grow-drive.js';
import { handOverDrive } from './steps/hand-over-drive.js';
import { installCilium } from './steps/install-cilium.js';
import { createSecrets, writeClientFiles } from './steps/local-files.js';
import { markNode } from './steps/mark-node.js';
import { migrateVm } from './steps/migrate-vm.js';
import { moveDrive } from './steps/move-drive.js';
import { restartVm, startVm, stopVm } from './steps/power.js';
import { pullImages } from './steps/pull-images.js';
import { removeBackupJob } from './steps/remove-backup-job.js';
import { removeLegacyAccess } from './steps/remove-legacy-access.js';
import { removeMember } from './steps/remove-member.js';
import { renewDrive } from './steps/renew-drive.js';
import { deleteOldSystemDisk, replaceOsDisk } from './steps/replace-os-disk.js';
import { retireNode } from './steps/retire-node.js';
import { setBackupJob } from './steps/set-backup-job.js';
import { setDriveOptions } from './steps/set-drive-options.js';
import { setOptions } from './steps/set-options.js';
import { syncManifests } from './steps/sync-manifests.js';
import { takeSnapshot } from './steps/take-snapshot.js';
import { upgradeComponent } from './steps/upgrade-component.js';
import { pullInstaller, upgradeTalos } from './steps/upgrade-talos.js';
import type { Executor, StepContext, StepOutcome } from './support/context.js';
import { beginDisruption, endDisruption } from './support/disruption.js';

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
  'hand-over-drive': handOverDrive,
  'set-options': setOptions,
  'set-drive-options': setDriveOptions,
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
  'await-nodes': awaitNodes,
  'set-role': setRole,
  'create-user': createUser,
  'set-acl': setAcl,
  'set-backup-job': setBackupJob,
  'remove-backup-job': removeBackupJob,
  'create-pool': createPool,
  'join-pool': joinPool,
  'remove-legacy-access': removeLegacyAccess,
};

export function execute(step: Step, context: StepContext): Promise<StepOutcome> {
  // The table pairs each kind with its own executor; TypeScript cannot follow that through the union.
  return (EXECUTORS[step.kind] as Executor<StepKind>)(step, context);
}
