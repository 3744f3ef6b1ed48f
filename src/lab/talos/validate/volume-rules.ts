import { at, type ConfigDocument, list, record, string } from '../config/config-document.js';
import { checkSelector } from '../selectors/check.js';
import { DISK_ENVIRONMENT, VOLUME_ENVIRONMENT } from '../selectors/environment.js';
import { readMaxSize, readSize } from '../volumes/volume-spec.js';
import type { DocumentRule } from './document-rule.js';

/** Volumes: names, selectors, sizes, encryption (types/block). */

type Body = ConfigDocument['body'];

const SYSTEM = ['STATE', 'EPHEMERAL', 'IMAGECACHE', 'ETCD', 'CRI', 'KUBELET', 'LOG'];
const NAME_LIMIT = 34;

function nameProblems(name: string, limited: boolean): string[] {
  return [
    ...(name === '' ? ['name is required'] : []),
    ...(limited && (name.length < 1 || name.length > NAME_LIMIT)
      ? [`name must be between 1 and ${NAME_LIMIT} characters long`]
      : []),
    ...(/[^a-zA-Z0-9-]/.test(name)
      ? ['name can only contain lowercase and uppercase ASCII letters, digits, and hyphens']
      : []),
  ];
}

function provisioningProblems(body: Body, options: { required: boolean; sizes: boolean }): string[] {
  const spec = at(body, 'provisioning');
  const match = string(at(spec, 'diskSelector', 'match'));
  const problems: string[] = [];
  const problem = match ? checkSelector(match, DISK_ENVIRONMENT) : undefined;
  if (problem !== undefined) problems.push(`disk selector is invalid: ${problem}`);
  if (!match && options.required) problems.push('disk selector is required');
  const min = at(spec, 'minSize');
  const max = at(spec, 'maxSize');
  if (!options.sizes) {
    if (min !== undefined || max !== undefined || at(spec, 'grow') !== undefined) {
      problems.push('min size, max size and grow are not supported');
    }
    return problems;
  }
  const most = readMaxSize(max);
  const least = readSize(min);
  if (least !== undefined && most && 'bytes' in most) {
    if (least > most.bytes) problems.push('min size is greater than max size');
  } else if (options.required && min === undefined && max === undefined) {
    problems.push('min size or max size is required');
  }
  if (string(min)?.startsWith('-')) problems.push('min size cannot be negative');
  return problems;
}

function encryptionProblems(body: Body): string[] {
  const spec = record(body.encryption);
  if (Object.keys(spec).length === 0) return [];
  const keys = list(spec.keys);
  const problems =
    spec.provider === 'luks2' ? [] : [`unsupported encryption provider: ${string(spec.provider) ?? 'none'}`];
  if (keys.length === 0) problems.push('encryption keys are required');
  const slots = new Set<unknown>();
  for (const key of keys) {
    const slot = at(key, 'slot') ?? 0;
    if (slots.has(slot)) problems.push(`duplicate key slot ${slot}`);
    slots.add(slot);
    if (!['static', 'nodeID', 'kms', 'tpm'].some((kind) => at(key, kind) != null)) {
      problems.push(`at least one encryption key type must be specified for slot ${slot}`);
    }
  }
  return problems;
}

const isSet = (body: Body, key: string) => Object.keys(record(body[key])).length > 0;

/** A partition, whole or raw, that is named and made by a selector. */
const partition: DocumentRule = ({ name, body }) => ({
  errors: [
    ...nameProblems(name, true),
    ...provisioningProblems(body, { required: true, sizes: true }),
    ...encryptionProblems(body),
  ],
});

export const VOLUME_RULES: Readonly<Record<string, DocumentRule>> = {
  VolumeConfig({ name, body }) {
    if (!SYSTEM.includes(name)) {
      return {
        errors: [`only [${SYSTEM.map((known) => JSON.stringify(known)).join(' ')}] volumes are supported`],
      };
    }
    const quoted = JSON.stringify(name);
    const state = name === 'STATE';
    const locked = list(at(body, 'encryption', 'keys')).some((key) => at(key, 'lockToState') === true);
    return {
      errors: [
        ...(state && isSet(body, 'provisioning')
          ? [`provisioning config is not allowed for the ${quoted} volume`]
          : []),
        ...(state && locked ? [`state-locked key is not allowed for the ${quoted} volume`] : []),
        ...(name === 'IMAGECACHE' && isSet(body, 'filesystem')
          ? [`filesystem config is not allowed for the ${quoted} volume`]
          : []),
        ...provisioningProblems(body, { required: false, sizes: true }),
        ...encryptionProblems(body),
      ],
    };
  },
  UserVolumeConfig(document) {
    const { name, body } = document;
    if (body.volumeType === 'directory') {
      const refused = ['provisioning', 'encryption', 'filesystem'].filter((key) => isSet(body, key));
      return {
        errors: [
          ...nameProblems(name, true),
          ...refused.map((key) => `${key} spec is invalid for volumeType directory`),
        ],
      };
    }
    if (body.volumeType !== 'disk') return partition(document);
    return {
      errors: [
        ...nameProblems(name, true),
        ...provisioningProblems(body, { required: true, sizes: false }),
        ...encryptionProblems(body),
      ],
    };
  },
  RawVolumeConfig: partition,
  SwapVolumeConfig: partition,
  ExistingVolumeConfig({ name, body }) {
    const match = string(at(body, 'discovery', 'volumeSelector', 'match'));
    const problem = match ? checkSelector(match, VOLUME_ENVIRONMENT) : undefined;
    return {
      errors: [
        ...nameProblems(name, false),
        ...(match ? [] : ['volume selector is required']),
        ...(problem === undefined ? [] : [`volume selector is invalid: ${problem}`]),
      ],
    };
  },
  UnattendedInstallConfig({ body }) {
    const match = string(at(body, 'provisioning', 'diskSelector', 'match'));
    const problem = match ? checkSelector(match, DISK_ENVIRONMENT) : undefined;
    return {
      errors: [
        ...(match ? [] : ['provisioning.diskSelector.match is required']),
        ...(problem === undefined ? [] : [`provisioning.diskSelector.match: ${problem}`]),
      ],
      warnings: string(at(body, 'installer', 'image'))
        ? []
        : [
            'installer.image is not set, if Talos is not booted from asset built by Image Factory, installation will fail',
          ],
    };
  },
};
