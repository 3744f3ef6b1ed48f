/** Watches HA fence a host: that it did is told by the change alone, and by nothing afterwards. */
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import type { Clock } from '../../model/clock.js';
import { attempt } from '../../observe/attempt.js';

const POLL_MS = 5_000;
/** HA fences after a minute of silence and has the host's lock after two. */
const FENCING_MS = 5 * 60_000;

/** States of a service in which HA neither fences its host nor waits for that. */
const NOT_FENCED_FOR = ['ignored', 'error', 'recovery'];

interface Watching {
  readonly client: Pick<ProxmoxClient, 'haStates' | 'clusterStatus'>;
  readonly clock: Pick<Clock, 'elapsed' | 'sleep'>;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

/** `true`: the host was to be fenced, and then was. `false`: nothing was seen, or nothing is to come. */
export async function awaitFencing(host: string, watching: Watching): Promise<boolean> {
  const { client, clock, signal, progress } = watching;
  const deadline = clock.elapsed() + FENCING_MS;
  for (let saw = false, said = false; ; ) {
    const [status, ha] = await Promise.all([
      attempt(() => client.clusterStatus()),
      attempt(() => client.haStates()),
    ]);
    const there = status.known ? status.value.hosts.find(({ name }) => name === host) : undefined;
    if (!there || there.online || !ha.known || !ha.value.quorate) return false;
    const { hosts, services, serviceHosts } = ha.value;
    if (saw && hosts[host] === 'unknown') return true;
    saw ||= hosts[host] === 'fence';
    const states = Object.keys(services)
      .filter((sid) => serviceHosts[sid] === host)
      .map((sid) => services[sid] ?? '');
    const comes = saw || states.some((state) => !NOT_FENCED_FOR.includes(state));
    if (!comes || clock.elapsed() >= deadline) return false;
    if (!said) progress(`waiting: HA fences ${host}`);
    said = true;
    await clock.sleep(POLL_MS, signal);
  }
}
