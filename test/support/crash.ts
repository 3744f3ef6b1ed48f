/** A run that is cut off after its k-th request, and a second one that must set everything right. */
import { configOf, VmSite } from './vm-site.js';

export interface CrashOutcome {
  /** False: the run had fewer requests, so it was not cut off. */
  readonly cut: boolean;
  readonly problems: readonly string[];
}

/** The lab lives on; the client is gone in the middle of whatever it did. */
export async function crashAfter(requests: number, config: string): Promise<CrashOutcome> {
  const site = await VmSite.start(configOf(config));
  try {
    const cut = await runUntilCut(site, requests);
    const client = site.connect();
    const second = await site.apply(client, { runId: 'second' });
    const third = await site.plan(client);
    await client.close();
    const failed = second.events.flatMap((event) =>
      event.type === 'step-failed' ? [`${event.step}: ${event.error.message}`] : [],
    );
    return {
      cut,
      problems: [
        ...failed,
        ...third.problems.map((problem) => problem.message),
        ...third.steps.map((step) => `third plan: ${step.id} (${step.reasons.join('; ')})`),
        ...site.problems(),
      ],
    };
  } finally {
    await site.stop();
  }
}

async function runUntilCut(site: VmSite, requests: number): Promise<boolean> {
  let sent = 0;
  let cut = (): void => {};
  const isCut = new Promise<boolean>((resolve) => {
    cut = () => resolve(true);
  });
  const stop = new AbortController();
  const client = site.connect({
    signal: stop.signal,
    retry: { attempts: 1, baseMs: 1, maxMs: 1 },
    onRequest: () => {
      sent += 1;
      if (sent <= requests) return;
      stop.abort(new Error('cut'));
      void client.close().catch(() => undefined);
      cut();
    },
  });
  const run = site.apply(client).then(
    () => false,
    () => false,
  );
  const result = await Promise.race([isCut, run]);
  await client.close().catch(() => undefined);
  return result;
}
