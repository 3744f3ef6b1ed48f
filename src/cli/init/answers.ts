/** The answers of `oxherd init`: from flags, or asked one after the other, each with what was found as its default. */
import type { FoundSite } from '../../config/edit/found-site.js';
import {
  type AnswerKey,
  type Answers,
  QUESTIONS,
  type Question,
} from '../../config/edit/new-file-answers.js';
import { OxherdError } from '../../model/error.js';
import type { CliContext, CommandInput } from '../context.js';
import { rawStream } from '../views/terminal-text.js';

export type Given = Partial<Record<AnswerKey, string>>;

export function answersFrom(options: CommandInput['options']): Given {
  const given: Given = {};
  for (const { key } of QUESTIONS) {
    const value = options[key];
    if (value !== undefined) given[key] = String(value).trim();
  }
  return given;
}

export function fromFlags(flags: Given, found: FoundSite | undefined): Answers {
  const missing: string[] = [];
  const wrong: string[] = [];
  const answers: Given = {};
  for (const { key, fallback, problem } of QUESTIONS) {
    const value = flags[key] ?? fallback(answers, found);
    if (value === undefined) {
      missing.push(`--${key}`);
      continue;
    }
    answers[key] = value;
    const bad = problem(value, answers);
    if (bad) wrong.push(`--${key}: ${bad}`);
  }
  if (missing.length > 0) {
    throw new OxherdError('init.missing', `not a terminal, and no answer for ${missing.join(', ')}`, {
      advice:
        'give these flags, run it in a terminal, or set OXHERD_PROXMOX_TOKEN: what can be found is not asked',
    });
  }
  if (wrong.length > 0) throw new OxherdError('init.answers', wrong.join('\n'));
  return complete(answers);
}

/** `undefined` where the user gave up. */
export async function ask(
  context: CliContext,
  flags: Given,
  found: FoundSite | undefined,
): Promise<Answers | undefined> {
  const clack = await import('@clack/prompts');
  const answers: Given = {};
  for (const question of QUESTIONS) {
    const { key, problem } = question;
    const flag = flags[key];
    if (flag !== undefined) {
      const bad = problem(flag, answers);
      if (bad) throw new OxherdError('init.answers', `--${key}: ${bad}`);
      answers[key] = flag;
      continue;
    }
    if (!isAsked(question, answers)) {
      answers[key] = question.fallback(answers, found) ?? '';
      continue;
    }
    const fallback = question.fallback(answers, found);
    const answer = await clack.text({
      message: question.message,
      placeholder: fallback || question.example,
      ...(fallback !== undefined && { defaultValue: fallback }),
      validate: (text = '') =>
        text.trim() === '' && fallback !== undefined ? undefined : problem(text.trim(), answers),
      input: context.stdin,
      output: rawStream(context.stdout),
      signal: context.signal,
    });
    if (clack.isCancel(answer)) return undefined;
    answers[key] = answer.trim();
  }
  return complete(answers);
}

/** One control plane has its own address and needs no other. */
function isAsked({ key }: Question, answers: Given): boolean {
  return key !== 'vip' || answers.controlplanes !== '1';
}

function complete(given: Given): Answers {
  const answer = (key: AnswerKey): string => given[key] ?? '';
  return {
    name: answer('name'),
    endpoint: answer('endpoint'),
    hosts: answer('hosts'),
    subnet: answer('subnet'),
    gateway: answer('gateway'),
    controlplanes: answer('controlplanes'),
    workers: answer('workers'),
    vip: answer('vip'),
    talos: answer('talos'),
    kubernetes: answer('kubernetes'),
  };
}
