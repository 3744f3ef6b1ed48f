import { sweepTest } from '../support/fault-sweep-test.js';

sweepTest('memory', 200);
