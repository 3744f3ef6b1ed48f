/** The fleet controller on a real kube-apiserver and etcd, with the rights of its own service account. */
import { describe } from 'vitest';
import { describeFleet } from '../support/fleet/contract.js';
import { realBinaries } from '../support/kubernetes-contract.js';

const there = realBinaries() !== undefined;
const skipped = there ? '' : ' (skipped: no etcd and kube-apiserver on the PATH)';

describe.skipIf(!there)(`on a real API server${skipped}`, () => describeFleet('real'));
