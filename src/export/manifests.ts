/** The objects of the cluster as files, for people who let something else apply them. */
import { stringify } from 'yaml';
import {
  type CiliumDesign,
  ciliumAccount,
  ciliumBinding,
  ciliumJob,
  ciliumValuesObject,
} from '../design/kubernetes/cilium.js';
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import { APPLIED, type KubeObject } from '../design/kubernetes/managed-object.js';

interface ManifestFile {
  /** `storageclass-proxmox-csi.yaml` */
  readonly name: string;
  readonly text: string;
  readonly secret: boolean;
}

/** In the order in which they can be applied; `secrets`: further objects that only the cluster knows. */
export function manifestFiles(
  design: KubernetesDesign,
  options: { readonly secrets: boolean; readonly more?: readonly KubeObject[] },
): ManifestFile[] {
  const objects = [
    ...(design.cilium ? ciliumObjects(design.cilium) : []),
    ...design.objects.map(({ object }) => object),
    ...(options.more ?? []),
  ].filter(({ kind }) => options.secrets || kind !== 'Secret');
  return objects.map((object) => ({
    name: fileName(object),
    text: stringify(withoutHash(object), { compat: 'yaml-1.1', lineWidth: 0 }),
    secret: object.kind === 'Secret',
  }));
}

function ciliumObjects(cilium: CiliumDesign): KubeObject[] {
  return [ciliumValuesObject(cilium, false), ciliumAccount(), ciliumBinding(), ciliumJob(cilium, 'install')];
}

function fileName({ kind, metadata: { namespace, name } }: KubeObject): string {
  const parts = [kind.toLowerCase(), ...(namespace === undefined ? [] : [namespace]), name];
  return `${parts.join('-').replace(/[^a-z0-9.-]/gi, '-')}.yaml`;
}

/** It says what oxherd applied; whoever applies these files is someone else. */
function withoutHash(object: KubeObject): KubeObject {
  const { annotations = {}, ...metadata } = object.metadata;
  const rest = Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== APPLIED));
  return {
    ...object,
    metadata: { ...metadata, ...(Object.keys(rest).length > 0 && { annotations: rest }) },
  };
}
