/**
 * A tried MTU goes back only to one that the config before names: a link whose config names none keeps the tried one until
 * the next boot (seen on a real Talos 1.14.1). So the running config is sent with the link's present MTU written out
 * before a config with another MTU is tried, and without it again once Talos has reverted.
 */
import { RESOURCES } from '../../clients/talos/resources.js';
import { markedConfig, unmarkedConfig } from '../../design/machine-config/config-mark.js';
import { machineConfigHash } from '../../design/machine-config/meaning.js';
import { newlyWrittenMtus, withMtus } from '../../formats/talos/link-mtus.js';
import { formatTalosDocuments, parseTalosDocuments } from '../../formats/talos/talos-documents.js';
import { isMapping } from '../../formats/text/mapping.js';
import { attempt } from '../../observe/attempt.js';
import type { StepContext } from './context.js';
import { machineConfigsOf } from './machine-configs.js';
import { adminOf } from './machine-wait.js';
import { StepError } from './read-vm.js';

interface Pinned {
  /** Of the running config with the MTUs in it. */
  readonly hash: string;
  /** The running config as it was. */
  readonly original: string;
}

interface Node {
  readonly node?: string;
  readonly ip: string;
}

/** `undefined`: the config changes no MTU that is not written. */
export async function pinMtus(node: Node, context: StepContext, config: string): Promise<Pinned | undefined> {
  const talos = adminOf(context, node.ip);
  const original = (await talos.get(RESOURCES.machineConfig, 'v1alpha1'))?.spec;
  if (typeof original !== 'string') return undefined;
  const [running, wanted] = [original, config].map(documentsOf);
  const links = newlyWrittenMtus(running ?? [], wanted ?? []);
  if (links.length === 0) return undefined;
  const mtus = await presentMtus(node, context, links);
  const text = formatTalosDocuments(withMtus(running ?? [], mtus));
  const hash = machineConfigHash(text);
  await talos.applyConfiguration(markedConfig(text), { mode: 'no-reboot' });
  const { active, persistent } = await machineConfigsOf(context, node.ip);
  if (active !== hash || persistent !== hash)
    throw new StepError('apply.mtu-not-pinned', `${node.node} did not take its own MTU into its config`, {
      advice: 'run plan again',
    });
  return { hash, original };
}

/** After Talos has reverted to it: the link keeps its MTU, and the config is as it was. */
export async function unpinMtus(node: Node, context: StepContext, { hash, original }: Pinned): Promise<void> {
  const done = await attempt(async () => {
    const { active, persistent } = await machineConfigsOf(context, node.ip);
    if (active !== hash || persistent !== hash) return;
    await adminOf(context, node.ip).applyConfiguration(original, { mode: 'no-reboot' });
  });
  if (!done.known) context.progress(`the config of ${node.node} still names its MTU: ${done.why}`);
}

async function presentMtus(
  { node, ip }: Node,
  context: StepContext,
  links: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const seen = await adminOf(context, ip).list(RESOURCES.linkStatus);
  return new Map(
    links.map((name): [string, number] => {
      // A LinkAliasConfig names a link beside the kernel's own name.
      const spec = seen.find(
        (link) => link.id === name || (isMapping(link.spec) && link.spec.alias === name),
      )?.spec;
      if (isMapping(spec) && typeof spec.mtu === 'number') return [name, spec.mtu];
      throw new StepError(
        'apply.mtu-unknown',
        `${node} does not show the MTU of its link ${name}: it could not be restored if the new one does not work`,
        { advice: `look at talosctl -n ${ip} get links` },
      );
    }),
  );
}

function documentsOf(text: string) {
  return parseTalosDocuments(unmarkedConfig(text).text).map(({ value }) => value);
}
