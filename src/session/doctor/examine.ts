/** All checks, from facts alone. */
import type { Config } from '../../config/config.js';
import type { Design } from '../../design/design.js';
import { certificateChecks, connectionChecks, privilegeChecks, tokenChecks } from './access-checks.js';
import { capacityChecks } from './capacity-checks.js';
import type { Check } from './check.js';
import type { DoctorFacts } from './facts.js';
import { gateChecks } from './gate-checks.js';
import { clockChecks, deviceChecks, hostChecks, networkChecks, storageChecks } from './host-checks.js';
import { mtuChecks, reachChecks } from './reach-checks.js';

export function examine(config: Config, design: Design, facts: DoctorFacts): Check[] {
  const access = [...connectionChecks(facts), ...certificateChecks(facts), ...tokenChecks(facts)];
  if (!facts.cluster.reached) return access;
  const cluster = facts.cluster.facts;
  return [
    ...access,
    ...privilegeChecks(cluster, facts.tokenId),
    ...hostChecks(design, cluster),
    ...clockChecks(cluster),
    ...storageChecks(design, cluster),
    ...networkChecks(config, design, cluster),
    ...mtuChecks(config, design, cluster),
    ...(facts.reach ? reachChecks(config, facts.reach) : []),
    ...deviceChecks(config, design, cluster),
    ...(facts.gates ? gateChecks(config, facts.gates) : []),
    ...capacityChecks(config, design, cluster),
  ];
}
