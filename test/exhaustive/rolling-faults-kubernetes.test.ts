import { sweepTest } from '../support/fault-sweep-test.js';

sweepTest('kubernetes', 190);
