/** The part of the server that reads expressions; loaded as one. */
export { definitionRuleErrors } from './definition-rules.js';
export { objectRuleErrors } from './object-rules.js';
export { denial, policyDecisions, policyErrors } from './policies.js';
