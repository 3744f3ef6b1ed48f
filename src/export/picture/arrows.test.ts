/** Planned moves in the picture: an arrow from the node to where it will be, or one for several between hosts. */
import { describe, expect, it } from 'vitest';
import { loadExample } from '../../../test/support/examples.js';
import { design } from '../../design/design-cluster.js';
import type { Step } from '../../plan/steps.js';
import { svg } from '../svg.js';
import { drawing, drawingPieces } from './boxes.js';
import { hostsBox, movesIn } from './cluster-boxes.js';
import { pictureOf } from './picture.js';

const config = loadExample('homelab');
const wanted = design(config);

/** Every node of the first host moves to the last one. */
function moved() {
  const [from, ...others] = [...new Set(wanted.nodes.map(({ host }) => host))];
  const to = others.at(-1) ?? '';
  const movers = wanted.nodes.filter(({ host }) => host === from);
  const steps = movers.map(
    ({ name, talosVm }): Step => ({
      id: `migrate ${name}`,
      kind: 'migrate-vm',
      action: 'change',
      title: `migrate ${name}`,
      reasons: [],
      needs: [],
      load: {},
      impact: 'live',
      node: name,
      vmid: talosVm.vmid,
      from: from ?? '',
      host: to,
      online: true,
      storages: {},
      copies: {},
    }),
  );
  return { from, to, movers, picture: pictureOf(config, wanted, undefined, { steps }) };
}

describe('planned moves', () => {
  it('are arrows in the SVG, one for each node, with a place where it will be', () => {
    const { from, to, movers, picture } = moved();
    const text = svg(picture);
    expect(movers.length).toBeGreaterThan(1);
    expect([...text.matchAll(/<g class="move">/g)]).toHaveLength(movers.length);
    for (const { name } of movers) {
      expect(text).toContain(`<title>${name} moves from ${from} to ${to}</title>`);
      expect(text).toContain(`→ moves to ${to}`);
    }
    expect([...text.matchAll(/moves here from/g)]).toHaveLength(movers.length);
    expect(text).not.toMatch(/NaN|undefined/);
  });

  it('are one arrow with their number where hosts alone are drawn, and none without a plan', () => {
    const { movers, picture } = moved();
    const box = hostsBox(picture.hosts, { detail: 'hosts', columns: 2, opens: true });
    const { arrows, pieces } = drawingPieces(box, movesIn(picture.hosts));
    expect([...arrows.matchAll(/<g class="move">/g)]).toHaveLength(1);
    expect(arrows).toContain(`>${movers.length}</text>`);
    expect(pieces).toHaveLength(picture.hosts.length);
    const still = pictureOf(config, wanted);
    expect(drawing(hostsBox(still.hosts, { detail: 'hosts' }), 'x', movesIn(still.hosts))).not.toContain(
      'moves',
    );
  });

  it('draws a host that is the same no second time, and all nodes of a kind as one path', () => {
    const { hosts } = pictureOf(config, wanted);
    const look = { detail: 'hosts', columns: 2, opens: true } as const;
    const [one, two] = [hostsBox(hosts, look), hostsBox(hosts, look)];
    expect(one.children?.[0]).toBe(two.children?.[0]);
    const [host] = hosts;
    const marked = hostsBox(hosts, { ...look, fresh: new Set([host?.nodes[0]?.name ?? '']) });
    expect(marked.children?.[0]).not.toBe(one.children?.[0]);
    expect(marked.children?.[1]).toBe(one.children?.[1]);
    const [piece] = drawingPieces(one, []).pieces;
    const kinds = new Set(one.children?.[0]?.dots?.map(({ kind }) => kind));
    expect([...(piece?.svg ?? '').matchAll(/<path/g)]).toHaveLength(kinds.size);
  });
});
