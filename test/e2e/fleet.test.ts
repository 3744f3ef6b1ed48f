/** The fleet controller on the lab's own Kubernetes API and the lab's Proxmox. */
import { describeFleet } from '../support/fleet/contract.js';

describeFleet('simulated');
