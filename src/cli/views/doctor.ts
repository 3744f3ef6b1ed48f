import { type Check, GROUPS } from '../../session/doctor/check.js';
import type { CliContext } from '../context.js';
import { paint } from './paint.js';
import { columnsOf, fitted } from './screen/wrap.js';

/** A mark and two spaces. */
const UNDER_TEXT = 6;

/** Groups in order, a mark for each check, the commands that fix it below. */
export function printChecks(context: CliContext, checks: readonly Check[]): void {
  const count = (result: Check['result']) => checks.filter((check) => check.result === result).length;
  const summary = { ok: count('ok'), warn: count('warn'), fail: count('fail') };
  if (context.globals.json) {
    context.stdout.write(`${JSON.stringify({ checks, summary })}\n`);
    return;
  }
  const colors = paint(context.globals.color);
  const write = (line: string, behind?: number) =>
    context.stdout.write(`${fitted(line, columnsOf(context), behind)}\n`);
  const marks = { ok: colors.green('ok  '), warn: colors.yellow('warn'), fail: colors.red('FAIL') };
  for (const group of GROUPS) {
    const members = checks.filter((check) => check.group === group);
    if (members.length === 0) continue;
    context.stdout.write(`${colors.bold(group)}\n`);
    for (const { result, text, fix } of members) {
      write(`  ${marks[result]}  ${text}`, UNDER_TEXT);
      for (const line of fix ?? []) write(`          ${colors.dim(line)}`);
    }
  }
  context.stdout.write(`\n${summary.ok} ok, ${summary.warn} warnings, ${summary.fail} failures\n`);
}
