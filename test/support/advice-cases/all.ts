import type { AdvisedSituation } from '../advice.js';
import { HOST_SITUATIONS } from './hosts.js';
import { VM_SITUATIONS } from './vms.js';

export const SITUATIONS: readonly AdvisedSituation[] = [...VM_SITUATIONS, ...HOST_SITUATIONS];
