/** What each kind of step is in one word; views print their symbols from it. */
import type { StepKind } from './steps.js';

export const STEP_ACTIONS = ['create', 'change', 'remove', 'wait'] as const;

export type StepAction = (typeof STEP_ACTIONS)[number];

/** Where a kind can be either, the step says so itself and this is the usual one. */
export const ACTION_OF: Readonly<Record<StepKind, StepAction>> = {
  'download-image': 'create',
  'create-data-vm': 'create',
  'create-talos-vm': 'create',
  'add-drive': 'create',
  'attach-drive': 'create',
  'detach-drive': 'remove',
  'grow-drive': 'change',
  'move-drive': 'change',
  'migrate-vm': 'change',
  'forget-node': 'remove',
  'hand-over-drive': 'change',
  'set-options': 'change',
  'set-drive-options': 'change',
  'start-vm': 'change',
  'stop-vm': 'change',
  'restart-vm': 'change',
  'replace-os-disk': 'change',
  'delete-old-system-disk': 'remove',
  'renew-drive': 'change',
  'destroy-talos-vm': 'remove',
  'destroy-data-vm': 'remove',
  'delete-volume': 'remove',
  'forget-volume': 'remove',
  'adopt-volume': 'change',
  'create-csi-volume': 'create',
  'delete-csi-volume': 'remove',
  'create-secrets': 'create',
  'configure-machine': 'change',
  'change-config': 'change',
  'reboot-machine': 'change',
  bootstrap: 'create',
  'await-growth': 'wait',
  'await-machine': 'wait',
  'write-client-files': 'create',
  'retire-node': 'remove',
  'remove-member': 'remove',
  'take-snapshot': 'create',
  'upgrade-component': 'change',
  'pull-installer': 'create',
  'upgrade-talos': 'change',
  'begin-disruption': 'change',
  'end-disruption': 'wait',
  'await-api': 'wait',
  'apply-object': 'change',
  'delete-object': 'remove',
  'install-cilium': 'change',
  'create-csi-token': 'create',
  'create-sealed-key': 'create',
  'pull-images': 'create',
  'sync-manifests': 'change',
  'grow-csi-volume': 'change',
  'grow-claim': 'change',
  'await-csi-driver': 'wait',
  'await-nodes': 'wait',
  'set-role': 'change',
  'create-user': 'create',
  'set-acl': 'change',
  'create-pool': 'create',
  'join-pool': 'change',
  'remove-legacy-access': 'remove',
};

export function isStepKind(word: string): word is StepKind {
  return Object.hasOwn(ACTION_OF, word);
}
