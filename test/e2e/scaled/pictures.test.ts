/** Pictures in a real browser: every label lies inside its box, on light and on dark paper. */
import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.js';
import { design } from '../../../src/design/design-cluster.js';
import { pictureOf } from '../../../src/export/picture/picture.js';
import { svg } from '../../../src/export/svg.js';
import { dumpDom, findBrowser } from '../../support/browser.js';
import { exampleNames, loadExample } from '../../support/examples.js';
import { chosen } from '../../support/shard.js';

const browser = findBrowser();
if (browser === undefined) console.warn('skipped: no chromium on this machine, pictures are not opened');

interface Measured {
  readonly labels: number;
  readonly clipped: readonly string[];
  readonly pale: readonly string[];
}

/** Runs in the page: text boxes against the rectangle of their group, and text against its ground. */
const MEASURE = `
  const clipped = [], pale = [];
  const light = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).map((v) => Number(v) / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const texts = [...document.querySelectorAll('svg text')];
  for (const text of texts) {
    const rect = text.parentElement.querySelector('rect');
    const a = text.getBoundingClientRect(), b = rect.getBoundingClientRect();
    if (a.width === 0 || a.left < b.left || a.right > b.right || a.top < b.top || a.bottom > b.bottom) clipped.push(text.textContent);
    const [x, y] = [light(getComputedStyle(text).fill), light(getComputedStyle(rect).fill)].sort((m, n) => n - m);
    if ((x + 0.05) / (y + 0.05) < 4.5) pale.push(text.textContent);
  }
  document.title = JSON.stringify({ labels: texts.length, clipped, pale });
`;

function measure(config: Config, theme: 'light' | 'dark'): Measured {
  const picture = svg(pictureOf(config, design(config)), theme);
  const dom = dumpDom(
    browser ?? '',
    `<!doctype html><meta charset="utf-8"><body>${picture}<script>${MEASURE}</script>`,
  );
  const title = /<title>(\{.*?\})<\/title>/s.exec(dom)?.[1] ?? '{}';
  return JSON.parse(title.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&'));
}

const FIFTY = loadExample('homelab', (text) =>
  text.replace('role: worker, count: 3', 'role: worker, count: 47'),
);
const PICTURES: [string, Config][] = [
  ...exampleNames().map((name): [string, Config] => [name, loadExample(name)]),
  ['fifty nodes', FIFTY],
];

describe.skipIf(browser === undefined)('pictures in a browser', () => {
  it.each(chosen(PICTURES, { test: 1 }))('%s: no label is clipped or pale', (_, config) => {
    for (const theme of ['light', 'dark'] as const) {
      const { labels, clipped, pale } = measure(config, theme);
      expect(labels).toBeGreaterThan(config.nodes.length * 3);
      expect({ clipped, pale }).toEqual({ clipped: [], pale: [] });
    }
  });
});
