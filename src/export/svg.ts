/** A picture as SVG, drawn without any other program: hosts, VMs, the disks they own, networks and reservations. */
import { drawing } from './picture/boxes.js';
import { clusterBox, legendBox, movesIn } from './picture/cluster-boxes.js';
import { escapeXml } from './picture/escape-xml.js';
import type { Box } from './picture/layout.js';
import type { Picture } from './picture/picture.js';
import { PICTURE_RULES } from './picture/rules.js';

const MARGIN = 16;

export type Theme = 'auto' | 'light' | 'dark';

export function svg(picture: Picture, theme: Theme = 'auto'): string {
  const page: Box = { kind: 'bare', lines: [], children: [clusterBox(picture), legendBox()] };
  return drawing(
    page,
    picture.cluster,
    movesIn(picture.hosts),
    [
      `<title>${escapeXml(picture.cluster)}</title>`,
      `<style>${styles(theme)}</style>`,
      `<rect class="paper" width="100%" height="100%"/>`,
    ].join('\n'),
    MARGIN,
  );
}

const LIGHT = {
  paper: '#ffffff',
  ink: '#1b1f24',
  faint: '#57606a',
  line: '#c4cad1',
  cluster: '#f6f8fa',
  host: '#ffffff',
  group: '#f6f8fa',
  reserved: '#fbe3d6',
  controlplane: '#fdf3d0',
  worker: '#dff0fb',
  data: '#dcf3e6',
  parked: '#ece8f6',
  track: '#dde2e7',
  move: '#8250df',
} as const;
const DARK: Record<keyof typeof LIGHT, string> = {
  paper: '#0d1117',
  ink: '#e6edf3',
  faint: '#9aa4af',
  line: '#3d444d',
  cluster: '#151b23',
  host: '#0d1117',
  group: '#151b23',
  reserved: '#4a2a1a',
  controlplane: '#41370f',
  worker: '#12344b',
  data: '#143a28',
  parked: '#2f2a45',
  track: '#2a313a',
  move: '#c297ff',
};

function styles(theme: Theme): string {
  const variables = (colors: Record<keyof typeof LIGHT, string>) =>
    `svg{${Object.entries(colors)
      .map(([name, color]) => `--${name}:${color}`)
      .join(';')}}`;
  return [
    theme === 'dark' ? variables(DARK) : variables(LIGHT),
    ...(theme === 'auto' ? [`@media (prefers-color-scheme:dark){${variables(DARK)}}`] : []),
    PICTURE_RULES,
  ].join('');
}
