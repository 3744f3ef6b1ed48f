/** On nodes that we cordoned: only those are let go again, also by a later run. */
export const CORDONED_BY_US = 'oxherd.dev/cordoned';
