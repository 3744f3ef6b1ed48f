/** What Proxmox's HA manager looks after, and what it takes the hosts for. */
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import { attempt } from '../attempt.js';
import { type Known, known, type ObservedHa } from '../observed.js';

export async function observeHa(client: ProxmoxClient): Promise<Known<ObservedHa>> {
  const [states, resources, rules] = await Promise.all([
    attempt(() => client.haStates()),
    attempt(() => client.haResources()),
    attempt(() => client.haRules()),
  ]);
  if (!states.known) return states;
  if (!resources.known) return resources;
  const { quorate: _, ...manager } = states.value;
  return known({
    ...manager,
    resources: Object.fromEntries(resources.value.map(({ sid, settings }) => [sid, settings])),
    rules: rules.known
      ? known(Object.fromEntries(rules.value.map(({ rule, type, settings }) => [rule, { type, settings }])))
      : rules,
  });
}
