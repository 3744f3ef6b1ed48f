/** `oxherd doctor`: what stands between this computer and a working `apply`. */
import { inspectCertificate } from '../../clients/proxmox/index.js';
import { withSite } from '../../session/connect/site.js';
import { examine } from '../../session/doctor/examine.js';
import { gather } from '../../session/doctor/gather.js';
import { designFor } from '../../session/plan/prepare-plan.js';
import { type CliContext, EXIT, type ExitCode } from '../context.js';
import { printChecks } from '../views/doctor.js';

const INSPECT_TIMEOUT_MS = 5_000;

export async function run(context: CliContext): Promise<ExitCode> {
  return withSite(context, async (site) => {
    const { config, client, clock } = site;
    const design = await designFor(site);
    const facts = await gather(config, design, {
      client,
      inspect: (endpoint) => inspectCertificate(endpoint, { timeoutMs: INSPECT_TIMEOUT_MS }),
      hostNow: () => clock.now(),
      now: () => Date.now(),
    });
    const checks = examine(config, design, facts);
    printChecks(context, checks);
    return checks.some((check) => check.result === 'fail') ? EXIT.failed : EXIT.done;
  });
}
