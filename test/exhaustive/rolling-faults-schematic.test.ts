import { sweepTest } from '../support/fault-sweep-test.js';

sweepTest('schematic', 130);
