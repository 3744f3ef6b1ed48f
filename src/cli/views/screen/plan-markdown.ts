/** A plan as Markdown, for the comment of a pull request: the summary to see, each block of steps to open. */
import { groupSteps, type Plan, singleBlocks } from '../../../session/plan/index.js';
import { paint } from '../paint.js';
import { incompleteBlock, notesText, problemsText } from '../plan.js';
import { blockText } from '../plan-blocks.js';
import { orderText, summaryText } from '../plan-summary.js';

const PLAIN = paint(false);

export function planMarkdown(plan: Plan, { cluster, full }: { cluster: string; full: boolean }): string {
  const blocks = (full ? singleBlocks(plan.steps) : groupSteps(plan.steps)).map((block) => {
    const [heading = '', ...lines] = blockText(block, PLAIN, full).split('\n');
    return details(heading, lines.join('\n'));
  });
  const order = orderText(plan, PLAIN).join('\n\n');
  const summary = summaryText(plan, PLAIN, 'No changes. The cluster matches its config.');
  return [
    `### oxherd plan: ${inline(cluster)}`,
    ...(plan.problems.length > 0 ? [fenced(problemsText(plan, PLAIN, full))] : []),
    ...(plan.incomplete.length > 0 ? [fenced(incompleteBlock(plan, PLAIN))] : []),
    fenced(summary),
    ...blocks,
    ...(order === '' ? [] : [details('order', order)]),
    ...(plan.notes.length > 0
      ? [details('notes', notesText(plan, PLAIN).split('\n').slice(1).join('\n'))]
      : []),
    ...(plan.steps.length > 0 ? [`Plan id: ${inline(plan.planId)}`] : []),
  ].join('\n\n');
}

function details(summary: string, body: string): string {
  return `<details><summary>${escaped(summary)}</summary>\n\n${fenced(body)}\n\n</details>`;
}

/** Whatever the text holds, the fence is longer. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

function inline(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
