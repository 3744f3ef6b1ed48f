import { conditionsOf } from './condition.js';

export const { condition, unread } = conditionsOf('kubernetes');
