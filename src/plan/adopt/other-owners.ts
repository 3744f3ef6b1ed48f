/** Others that would put back what oxherd changes, or remove what it keeps: each is released there first. */

import type { Design } from '../../design/design.js';
import { isMapping } from '../../formats/text/mapping.js';
import { nodeObjectNames } from '../../model/node-names.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import type { Problem } from '../plan.js';

/** A VM in a Terraform state. */
export interface TerraformVm {
  readonly vmid: number;
  /** `module.talos.proxmox_virtual_environment_vm.this["ctrl-01"]` */
  readonly address: string;
  /** Of the state. */
  readonly file: string;
}

interface OwnerFacts {
  /** Node object of Kubernetes → its Machine of Cluster API, in words. */
  readonly capi: Readonly<Record<string, string>>;
  /** VMs of Terraform states that were found. */
  readonly terraform?: readonly TerraformVm[];
  /** A person says that Terraform manages the VMs no longer, whatever their tags say. */
  readonly released: boolean;
}

const CAPI_TAGS = /^(?:go-proxmox|capmox|cluster-api)/;
const OMNI_TAGS = /^omni(?:$|[-_])/;
const TERRAFORM_TAGS = /^(?:terraform|opentofu|tofu|pulumi)$/;

export function otherOwners(design: Design, observed: Observed, facts: OwnerFacts): Problem[] {
  return design.nodes.flatMap((node) => {
    const vms = [node.talosVm.vmid, node.dataVm?.vmid].flatMap((vmid) => visibleVm(observed, vmid) ?? []);
    const tag = (pattern: RegExp) => vms.flatMap((vm) => vm.tags).find((each) => pattern.test(each));
    const owner = ownerOf({
      omni: isLinked(observed, node.name) ? 'SideroLinkConfig in its machine config' : tagged(tag(OMNI_TAGS)),
      capi: nodeObjectNames(node.name).flatMap((name) => facts.capi[name] ?? [])[0] ?? tagged(tag(CAPI_TAGS)),
      state: facts.terraform?.filter(({ vmid }) => vms.some((vm) => vm.vmid === vmid)) ?? [],
      terraform: facts.released ? undefined : tagged(tag(TERRAFORM_TAGS)),
    });
    return owner
      ? [{ ...owner, scope: 'plan' as const, node: node.name, message: `${node.name} ${owner.message}` }]
      : [];
  });
}

function tagged(tag: string | undefined): string | undefined {
  return tag === undefined ? undefined : `tag ${tag}`;
}

interface Signs {
  readonly omni: string | undefined;
  readonly capi: string | undefined;
  readonly state: readonly TerraformVm[];
  readonly terraform: string | undefined;
}

function ownerOf({
  omni,
  capi,
  state,
  terraform,
}: Signs): Pick<Problem, 'code' | 'message' | 'advice'> | undefined {
  if (omni !== undefined) {
    return {
      code: 'cluster.omni',
      message: `is managed by Omni (${omni})`,
      advice:
        'release the machines there first: `omnictl cluster delete NAME` resets them, so export what you need; a managed cluster cannot be taken over',
    };
  }
  if (capi !== undefined) {
    return {
      code: 'cluster.capi',
      message: `is managed by Cluster API (${capi})`,
      advice:
        'pause it first: `kubectl patch cluster NAME --type merge -p \'{"spec":{"paused":true}}\'`, then delete its Machine and ProxmoxMachine objects with their finalizers removed, and the annotation cluster.x-k8s.io/machine of the nodes',
    };
  }
  const [first] = state;
  if (first) {
    return {
      code: 'cluster.terraform',
      message: `is managed by Terraform (${first.file} has ${state.map(({ vmid }) => `VM ${vmid}`).join(' and ')})`,
      advice: `release it there: terraform state rm ${state.map(({ address }) => `'${address}'`).join(' ')}`,
    };
  }
  if (terraform === undefined) return undefined;
  return {
    code: 'cluster.terraform',
    message: `may be managed by Terraform (${terraform})`,
    advice:
      'release it there (`terraform state list`, `terraform state rm ADDRESS`), then run `oxherd adopt --released`',
  };
}

function isLinked({ machines }: Observed, node: string): boolean {
  const details = machines[node]?.details;
  const config = details?.known ? details.value.config : undefined;
  const documents: unknown = config?.known ? JSON.parse(config.value.redacted) : [];
  return (
    Array.isArray(documents) &&
    documents.some((document: unknown) => isMapping(document) && document.kind === 'SideroLinkConfig')
  );
}
