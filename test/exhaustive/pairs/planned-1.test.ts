/** All pairs of edits are planned and checked. */
import { plansPairs } from '../../support/pair-parts.js';

plansPairs('1/2');
