import type { StepContext } from './context.js';

/** Without `purge`: jobs of others that save this VM go on doing so when it is made again. */
export async function destroyVm({ client }: StepContext, host: string, vmid: number): Promise<void> {
  await client.runTask(() => client.destroyVm(host, vmid, { destroyUnreferencedDisks: false }));
}
