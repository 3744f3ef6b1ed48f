/**
 * A plan that was made before there were secrets, once they exist. Only their fingerprint was missing, in the descriptions
 * of VMs: nothing is observed or planned again, so that what runs is what was shown.
 */
import type { Design, VmDesign } from '../design/design.js';
import { withChangedText } from '../formats/marks/applied-note.js';
import { withSecretsNoted } from '../formats/marks/secrets-note.js';
import type { Plan } from './plan.js';
import type { Step } from './steps.js';

export function planWithSecrets(plan: Plan, fingerprint: string): Plan {
  return { ...plan, steps: plan.steps.map((step) => stepWithSecrets(step, fingerprint)) };
}

export function designWithSecrets(design: Design, fingerprint: string): Design {
  const vm = (one: VmDesign): VmDesign => ({ ...one, options: noted(one.options, fingerprint) });
  return {
    ...design,
    cluster: { ...design.cluster, secrets: fingerprint },
    nodes: design.nodes.map((node) => ({
      ...node,
      talosVm: vm(node.talosVm),
      ...(node.dataVm && { dataVm: vm(node.dataVm) }),
    })),
  };
}

function stepWithSecrets(step: Step, fingerprint: string): Step {
  switch (step.kind) {
    case 'create-data-vm':
    case 'create-talos-vm':
      return { ...step, options: noted(step.options, fingerprint) };
    case 'add-drive':
    case 'renew-drive':
      return { ...step, description: described(step.description, fingerprint) };
    case 'set-options': {
      const { description } = step.changes;
      if (description?.to === undefined) return step;
      const to = described(description.to, fingerprint);
      return { ...step, changes: { ...step.changes, description: { ...description, to } } };
    }
    default:
      return step;
  }
}

type Options = VmDesign['options'];

function noted(options: Options, fingerprint: string): Options {
  const { description } = options;
  if (typeof description !== 'string') return options;
  return { ...options, description: described(description, fingerprint) };
}

function described(description: string, fingerprint: string): string {
  return withChangedText(description, (text) => withSecretsNoted(text, fingerprint));
}
