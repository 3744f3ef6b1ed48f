/** All pairs of edits are planned and checked. */
import { plansPairs } from '../../support/pair-parts.js';

plansPairs('2/2');
