import { sweepTest } from '../support/fault-sweep-test.js';

sweepTest('talos', 140);
