/**
 * Each machine config is sent to a machine that runs some Talos: the one it has, or the one it gets by this plan before.
 * A config that this one does not know is refused by the machine, in the middle of a run.
 */
import { StepOrder } from '../facts/step-order.js';
import { unknownToTalos } from '../facts/unknown-to-talos.js';
import type { PlanContext } from '../input.js';
import type { Problem } from '../plan.js';
import type { Step, StepOf } from '../steps.js';

type Sending = StepOf<'configure-machine' | 'change-config' | 'upgrade-component'>;

export function configVersionProblems(context: PlanContext): Problem[] {
  const { list, machines } = context;
  if (!machines) return [];
  const seen = new Set<string>();
  return list.steps.filter(isSending).flatMap((step) => {
    const node = step.node ?? '';
    const receiver = receiverOf(step, context);
    const config = step.components ? machines.configWith(node, step.components) : machines.configs[node];
    const [part] = receiver === undefined ? [] : unknownToTalos(config, receiver);
    if (part === undefined || receiver === undefined || seen.has(node)) return [];
    seen.add(node);
    return [
      {
        code: 'config-version',
        scope: 'plan' as const,
        node,
        message: `${node} gets its config while it runs Talos ${receiver}, which knows no ${part}`,
        advice: `take ${part} out of the patches or the contract, apply, and add it once ${node} runs a Talos that knows it`,
      },
    ];
  });
}

function isSending(step: Step): step is Step & Sending {
  return (
    step.kind === 'configure-machine' || step.kind === 'change-config' || step.kind === 'upgrade-component'
  );
}

/** `undefined`: unknown, as before a machine has answered. */
function receiverOf(step: Step & Sending, { design, observed, list }: PlanContext): string | undefined {
  const wanted = design.nodes.find((node) => node.name === step.node)?.talosVersion;
  // A new system disk comes with the image of oxherd.yaml.
  if (step.kind === 'configure-machine') return wanted;
  const own = list.steps.filter((other) => other.node === step.node);
  const upgrade = own.find((other) => other.kind === 'upgrade-talos');
  if (upgrade && new StepOrder(own).isBefore(upgrade.id, step.id)) return wanted;
  const details = observed.machines[step.node ?? '']?.details;
  return details?.known ? details.value.talosVersion : undefined;
}
