import { expect, it } from 'vitest';
import { TicketOffice } from './tickets.js';

const HOURS = 3_600_000;

it.each([
  { pace: 1, good: 2, old: 2.01 },
  { pace: 30, good: 60, old: 60.1 },
])('a ticket is good for two hours of a wall at $pace lab seconds a second', ({ pace, good, old }) => {
  let now = Date.UTC(2026, 0, 1);
  const office = new TicketOffice('key', () => now, pace);
  const ticket = office.ticket('root@pam');
  const csrf = office.csrf('root@pam');
  const since = now;
  now = since + good * HOURS;
  expect([office.userOf(ticket), office.isCsrfOf('root@pam', csrf)]).toEqual(['root@pam', true]);
  now = since + old * HOURS;
  expect([office.userOf(ticket), office.isCsrfOf('root@pam', csrf)]).toEqual([undefined, false]);
});
