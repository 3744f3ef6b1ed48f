/** Steps inside the cluster. What is applied is not in the plan, only its hash: some of it is secret. */
import type { GitopsEngine } from '../config/kubernetes-config.js';
import type { CiliumCommand } from '../design/kubernetes/cilium.js';
import type { ObjectRef } from '../design/kubernetes/managed-object.js';
import type { NodeMarks } from '../formats/marks/node-marks.js';
import type { Vmid } from '../model/identity.js';
import type { StepBase } from './step-base.js';

export type KubernetesStep =
  | (StepBase & { readonly kind: 'await-api' })
  | (StepBase & { readonly kind: 'apply-object'; readonly object: ObjectRef; readonly hash: string })
  | (StepBase & { readonly kind: 'delete-object'; readonly object: ObjectRef })
  | (StepBase & {
      readonly kind: 'install-cilium';
      readonly command: CiliumCommand;
      readonly version: string;
      readonly hash: string;
    })
  | (StepBase & {
      /** Makes the CSI driver's token and puts it where alone it is kept: into the cluster's secret. */
      readonly kind: 'create-csi-token';
      readonly user: string;
      readonly tokenId: string;
      readonly hash: string;
      /** Someone asked for a new one. */
      readonly rotate: boolean;
    })
  | (StepBase & NodeMarks & { readonly kind: 'mark-node' })
  | (StepBase & { readonly kind: 'await-csi-driver' })
  | (StepBase & {
      readonly kind: 'install-gitops';
      readonly engine: GitopsEngine;
      readonly version: string;
      readonly hash: string;
    })
  | (StepBase & { readonly kind: 'await-gitops' })
  | (StepBase & { readonly kind: 'create-sealed-key' })
  | (StepBase & {
      /** Images of another Kubernetes, before any part of it changes. */
      readonly kind: 'pull-images';
      readonly ip: string;
      readonly images: readonly { readonly image: string; readonly kubelet: boolean }[];
    })
  | (StepBase & {
      /** What Talos renders for the cluster, applied as Talos does it. */
      readonly kind: 'sync-manifests';
      /** Any of them can be asked. */
      readonly controlPlanes: readonly string[];
      /** Manifests by URL that Talos must have fetched before. */
      readonly urls?: readonly string[];
    })
  | (StepBase & {
      readonly kind: 'grow-csi-volume';
      /** Its name under `volumes`. */
      readonly volume: string;
      /** The VM that uses it: Proxmox resizes a volume through a VM only. */
      readonly vmid: Vmid;
      readonly host: string;
      readonly volid: string;
      readonly size: number;
    })
  | (StepBase & {
      /** Asks for the larger size, so that the kubelet grows the file system. */
      readonly kind: 'grow-claim';
      /** The volume it is bound to. */
      readonly volume: string;
      readonly namespace: string;
      readonly name: string;
      readonly size: number;
    })
  | (StepBase & {
      /** Also forgets the old name of a machine that has another one now. */
      readonly kind: 'await-nodes';
      readonly nodes: readonly string[];
    });
