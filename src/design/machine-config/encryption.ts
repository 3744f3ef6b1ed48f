/** Disk encryption of STATE and EPHEMERAL, and what is refused because data would be lost with it. */

import type { EncryptionKey } from '../../config/config.js';
import { formatSecretRef } from '../../config/secret-ref.js';
import type { Mapping } from '../../formats/text/mapping.js';
import { OxherdError } from '../../model/error.js';
import type { NodeContext } from './context.js';
import { PLACEHOLDER } from './placeholders.js';

/** The STATE volume takes encryption and nothing else. */
export function stateEncryption(context: NodeContext): Mapping[] {
  const key = context.config.talos.encryption?.state;
  if (!key) return [];
  // STATE lives and dies with the System disk: its key may be bound to the throw-away VM.
  checkTpm(context, key, 'talosVm', 'state');
  return [
    { apiVersion: 'v1alpha1', kind: 'VolumeConfig', name: 'STATE', encryption: encryption(context, key) },
  ];
}

export function volumeEncryption(context: NodeContext): { encryption?: Mapping } {
  const key = context.config.talos.encryption?.ephemeral;
  if (!key) return {};
  checkLock(context, key);
  // EPHEMERAL outlives the Talos VM, so must the TPM that can open it.
  checkTpm(context, key, context.nodeDesign.layout === 'data-vm' ? 'dataVm' : 'talosVm', 'ephemeral');
  return { encryption: encryption(context, key) };
}

function encryption({ options }: NodeContext, key: EncryptionKey): Mapping {
  const lock = key.lockToState && { lockToState: true };
  return { provider: 'luks2', keys: [{ slot: 0, ...keyOf(key, options.passphrases ?? {}), ...lock }] };
}

/** With the layout `data-vm` STATE goes with the System disk, and everything that is locked to it would go as well. */
function checkLock({ nodeDesign }: NodeContext, key: EncryptionKey): void {
  if (!key.lockToState || nodeDesign.layout === 'single') return;
  throw new OxherdError(
    'design.encryption-lock',
    `${nodeDesign.name}: EPHEMERAL locked to STATE could not be read with a new system disk`,
    { where: nodeDesign.name, advice: 'Remove lockToState from talos.encryption.ephemeral.' },
  );
}

function keyOf(key: EncryptionKey, passphrases: Readonly<Record<string, string>>): Mapping {
  switch (key.kind) {
    case 'nodeID':
      return { nodeID: {} };
    case 'tpm':
      return { tpm: {} };
    case 'static':
      return { static: { passphrase: passphrases[formatSecretRef(key.passphrase)] ?? PLACEHOLDER } };
  }
}

function checkTpm(
  { nodeDesign }: NodeContext,
  key: EncryptionKey,
  owner: 'talosVm' | 'dataVm',
  volume: string,
): void {
  if (key.kind !== 'tpm' || nodeDesign[owner]?.auxiliary.tpmstate0?.kind === 'tpm') return;
  const vm = owner === 'dataVm' ? 'its data VM' : 'its VM';
  throw new OxherdError(
    'design.encryption-tpm',
    `${nodeDesign.name}: talos.encryption.${volume} is bound to a TPM, but ${vm} has none that would outlive a new system disk`,
    {
      where: nodeDesign.name,
      advice: 'Use `nodeID` (bound to the SMBIOS uuid, which never changes) or a `static` passphrase.',
    },
  );
}
