/** Requests with one thing wrong each, the same ones for the same seed. */

import { kept } from '../kubernetes-answers/kept.js';
import type { Answer, ContractCluster } from '../kubernetes-contract.js';
import { BASES } from './bases.js';
import { type Json, mutated, seeded } from './mutate.js';

interface MutatedRequest {
  readonly what: string;
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly body: Json;
  readonly type?: string;
}

/** They stay: the path of the request says the same. */
const KEPT = ['apiVersion', 'kind', 'spec', 'metadata'];
const PATCHES = [
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
const VALIDATION = [
  '',
  '',
  '',
  '&fieldValidation=Strict',
  '&fieldValidation=Ignore',
  '&fieldValidation=Warn',
];

export function mutatedRequests(seed: number, count: number): MutatedRequest[] {
  const random = seeded(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  return Array.from({ length: count }, () => {
    const base = pick(BASES);
    const { name } = base.body.metadata;
    const draw = random();
    const fresh: Json = JSON.parse(
      JSON.stringify({
        ...base.body,
        metadata: { ...base.body.metadata, name: draw < 0.35 ? name : 'fresh' },
      }),
    );
    const { value: body, what } = mutated(fresh, random, KEPT);
    const query = `?dryRun=All${pick(VALIDATION)}`;
    const said = (method: string) => `${method} ${String(base.body.kind)}: ${what} ${query}`;
    if (draw >= 0.35) return { method: 'POST', path: `${base.path}${query}`, body, what: said('POST') };
    const path = `${base.path}/${name}${query}`;
    if (draw < 0.2) return { method: 'PUT', path, body, what: said('PUT') };
    const type = pick(PATCHES);
    const apply = type.includes('apply') ? `&fieldManager=other${pick(['', '&force=true'])}` : '';
    return { method: 'PATCH', path: `${path}${apply}`, body, type, what: said(type) };
  });
}

/** The objects that updates are for. */
export async function createBases(cluster: Pick<ContractCluster, 'send'>): Promise<void> {
  for (const { path, body } of BASES) {
    const { status } = await cluster.send('POST', `${path}?fieldManager=t`, { body });
    if (status !== 201) throw new Error(`no ${String(body.kind)}: ${status}`);
  }
}

/** What is compared: all but Go's print of its own structs, and when a manager wrote. */
export function compared(answer: Answer): unknown {
  const { status, body } = kept(answer);
  const text = JSON.stringify(body)
    .replace(
      /template: Invalid value: \{.*?\}: field is immutable/,
      'template: Invalid value: field is immutable',
    )
    .replaceAll(' at TIME', '')
    .replaceAll(/\](?=","metadata")/g, '');
  return { status, body: JSON.parse(text), warnings: answer.warnings ?? '' };
}
