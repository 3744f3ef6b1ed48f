/** The steps of a plan and their order, as mermaid text. */
import type { Impact, Plan } from '../plan/plan.js';
import type { Step } from '../plan/steps.js';
import { Ids, plain, text } from './mermaid.js';

const CLASSES: Readonly<Record<Impact, string>> = {
  none: 'fill:#e9ecef,stroke:#495057,color:#000',
  live: 'fill:#d3f9d8,stroke:#2b8a3e,color:#000',
  component: 'fill:#fff3bf,stroke:#e67700,color:#000',
  restart: 'fill:#ffec99,stroke:#e67700,color:#000',
  replace: 'fill:#ffd8a8,stroke:#d9480f,color:#000',
  reset: 'fill:#ffd8a8,stroke:#c92a2a,color:#000',
  remove: 'fill:#ffc9c9,stroke:#c92a2a,color:#000',
  'data-loss': 'fill:#c92a2a,stroke:#000,color:#fff',
};

export function planMermaid(plan: Plan): string {
  if (plan.steps.length === 0) return 'graph LR\n    nothing["No changes"]\n';
  const ids = new Ids();
  const byStep = new Map(plan.steps.map((step) => [step.id, ids.take(`s_${plain(step.id)}`, step.impact)]));
  const groups = [...groupByNode(plan.steps)].flatMap(([node, steps], index) => [
    `    subgraph g${index}["${text(node)}"]`,
    ...steps.map((step) => `        ${byStep.get(step.id)}["${text(step.title)}"]`),
    '    end',
  ]);
  const edges = plan.steps.flatMap((step) =>
    directNeeds(step, plan.steps).map((need) => `    ${byStep.get(need)} --> ${byStep.get(step.id)}`),
  );
  const classes = [...ids.classes].flatMap(([impact, members]) => [
    `    classDef ${plain(impact)} ${CLASSES[impact as Impact]};`,
    `    class ${members.join(',')} ${plain(impact)};`,
  ]);
  return `${['graph LR', ...groups, ...edges, ...classes].join('\n')}\n`;
}

function groupByNode(steps: readonly Step[]): Map<string, Step[]> {
  const groups = new Map<string, Step[]>();
  for (const step of steps) {
    const name = step.node ?? 'cluster';
    groups.set(name, [...(groups.get(name) ?? []), step]);
  }
  return groups;
}

/** Without those that follow from others: a picture with every one of them is a ball of wool. */
function directNeeds(step: Step, steps: readonly Step[]): readonly string[] {
  const byId = new Map(steps.map((each) => [each.id, each]));
  const reached = new Set<string>();
  const visit = (id: string): void => {
    for (const need of byId.get(id)?.needs ?? []) {
      if (reached.has(need)) continue;
      reached.add(need);
      visit(need);
    }
  };
  for (const need of step.needs) visit(need);
  return step.needs.filter((need) => byId.has(need) && !reached.has(need));
}
