import { sweepTest } from '../support/fault-sweep-test.js';

sweepTest('config', 85);
