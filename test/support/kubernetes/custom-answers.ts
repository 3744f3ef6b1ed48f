import { readFileSync } from 'node:fs';
import { CUSTOM_EXCHANGES, type CustomExchange } from './custom-exchanges.js';

/** What is compared of an answer: the code, the message or the kind, the warnings. */
export interface CustomAnswer {
  readonly status: number;
  readonly said: string;
  readonly warnings?: string;
}

const ANSWERS: Readonly<Record<string, readonly CustomAnswer[]>> = JSON.parse(
  readFileSync(new URL('./custom-answers.json', import.meta.url), 'utf8'),
);

/** Every exchange with what kube-apiserver 1.37 answered. */
export function recordedCustom(subject: string): { asked: CustomExchange; answer: CustomAnswer }[] {
  const answers = ANSWERS[subject] ?? [];
  return (CUSTOM_EXCHANGES[subject] ?? []).flatMap((asked, index) => {
    const answer = answers[index];
    return answer ? [{ asked, answer }] : [];
  });
}
