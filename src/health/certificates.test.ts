import { expect, it } from 'vitest';
import { config } from '../../test/support/design/config.js';
import { design } from '../design/design-cluster.js';
import { certificateConditions, servingTerms, unreadServing } from './certificates.js';

const DAY = 24 * 3_600_000;

it('speaks of each control plane whose API server shows a certificate, and fails before it ends', () => {
  const made = design(config());
  const [first, second] = made.nodes.filter((node) => node.role === 'controlplane');
  const terms = servingTerms(made, {
    [first?.ip ?? '']: 100 * DAY,
    ...(second && { [second.ip]: 10 * DAY }),
    '10.0.0.1': DAY,
  });
  const conditions = certificateConditions(terms, 0);
  expect(conditions.map(({ subject, state, message }) => [subject, state, message])).toEqual([
    [`API server of ${first?.name}`, 'ok', 'valid for 100 days'],
    ...(second ? [[`API server of ${second.name}`, 'failed', 'ends in 10 days']] : []),
  ]);
  for (const { state, advice } of conditions) expect(advice === undefined ? 'ok' : 'failed').toBe(state);
});

it('does not know the certificate of an API server that answers and shows none', () => {
  const endpoints = { '10.0.0.1': true, '10.0.0.2': true, '10.0.0.3': false };
  expect(unreadServing({ endpoints, servingUntil: { '10.0.0.1': DAY } })).toMatchObject([
    { subject: 'API server at 10.0.0.2', state: 'unknown' },
  ]);
  expect(unreadServing(undefined)).toEqual([]);
});
