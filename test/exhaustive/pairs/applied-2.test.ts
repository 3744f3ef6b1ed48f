/** A share of the pairs of edits is applied; all of them in test:full. */
import { appliesPairs } from '../../support/pair-parts.js';

appliesPairs('2/4');
