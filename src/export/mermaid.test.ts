import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { exampleNames, loadExample } from '../../test/support/examples.js';
import { design } from '../design/design-cluster.js';
import { mermaid } from './mermaid.js';
import { pictureOf } from './picture/picture.js';
import { planMermaid } from './plan-graph.js';

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), '../../test/fixtures/export');

function drawn(name: string): string {
  const config = loadExample(name);
  return mermaid(pictureOf(config, design(config)));
}

/** What a diagram says, whatever its labels are called. */
function structureOf(text: string) {
  const lines = text.split('\n').map((line) => line.trim());
  const path: string[] = [];
  const nodes: string[] = [];
  const edges: string[] = [];
  for (const line of lines) {
    const open = /^subgraph (\w+)/.exec(line)?.[1];
    const node = /^(\w+)[[(]/.exec(line)?.[1];
    const edge = /^(\w+) -- (.+) --> (\w+)$/.exec(line);
    if (open) path.push(open);
    else if (line === 'end') path.pop();
    else if (edge) edges.push(`${edge[1]} ${edge[2]} ${edge[3]}`);
    else if (node && !line.startsWith('class')) nodes.push([...path, node].join('/'));
  }
  const sizes = lines.flatMap(
    (line) => /\d+GB.*\d+ vCPU/.exec(line.includes('Hypervisor') ? '' : line)?.[0] ?? [],
  );
  const classes = lines.flatMap(
    (line) => /^classDef (\w+) fill:(#\w+)/.exec(line)?.slice(1, 3).join(' ') ?? [],
  );
  return { nodes, edges, sizes, classes };
}

describe('mermaid', () => {
  it('draws the hyper-converged server as its documentation does', () => {
    const theirs = structureOf(readFileSync(join(FIXTURES, 'hyperconverged.mmd'), 'utf8'));
    const ours = structureOf(drawn('hyperconverged'));
    expect(theirs.nodes).toHaveLength(6);
    expect(ours.nodes).toEqual(theirs.nodes);
    expect(ours.edges).toEqual(theirs.edges);
    expect(ours.sizes).toEqual(theirs.sizes);
    expect(ours.classes).toEqual(expect.arrayContaining(theirs.classes));
  });

  it.each(exampleNames())('draws %s with every node once and every end closed', (name) => {
    const text = drawn(name);
    const config = loadExample(name);
    for (const node of config.nodes) expect(text.split(`"${node.name}<br>`)).toHaveLength(2);
    expect(text.match(/^\s*subgraph /gm)?.length ?? 0).toBe(text.match(/^\s*end$/gm)?.length ?? 0);
    const ids = [...text.matchAll(/^\s*(\w+)[[(]/gm)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('shows data VMs beside the nodes that attach their disks', () => {
    expect(drawn('homelab')).toContain('W0 -- attaches --> W0_DATA');
  });
});

describe('the graph of a plan', () => {
  const step = (id: string, needs: string[], node?: string) => ({
    kind: 'start-vm' as const,
    id,
    ...(node !== undefined && { node }),
    title: `do "${id}" <now>`,
    reasons: [],
    impact: 'restart' as const,
    needs,
    action: 'change' as const,
    load: {},
    vmid: 1 as never,
    host: 'pve1',
  });
  const plan = (steps: ReturnType<typeof step>[]) => ({
    format: 2 as const,
    planId: '',
    desired: '',
    cluster: { name: 'a', env: '' },
    action: 'apply' as const,
    steps,
    problems: [],
    incomplete: [],
    notes: [],
  });

  it('has every step, and only the needs that do not follow from others', () => {
    const text = planMermaid(
      plan([step('a:1', []), step('b:1', ['a:1'], 'n'), step('c:1', ['a:1', 'b:1'], 'n')]),
    );
    expect(text).toContain('subgraph g1["n"]');
    expect([...text.matchAll(/-->/g)]).toHaveLength(2);
    expect(text).toContain('s_a_1 --> s_b_1');
    expect(text).toContain('s_b_1 --> s_c_1');
    expect(text).toContain('do #quot;a:1#quot; &lt;now&gt;');
    expect(text).toContain('class s_a_1,s_b_1,s_c_1 restart;');
  });

  it('says when there is nothing to do', () => expect(planMermaid(plan([]))).toContain('No changes'));
});
