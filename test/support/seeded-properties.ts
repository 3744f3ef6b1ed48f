/** Properties try the same samples in every `npm test`, and others in each round of the larger tiers. */
import fc from 'fast-check';
import { seed } from './shard.js';

fc.configureGlobal({ seed: seed() });
