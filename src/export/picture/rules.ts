/** How boxes look, by their kinds; the colours are variables of whatever shows them. */
const KINDS = ['cluster', 'host', 'group', 'reserved', 'controlplane', 'worker', 'data', 'parked', 'legend'];

export const PICTURE_RULES = [
  '.map text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink);white-space:pre}',
  '.map .title{font-size:15px;font-weight:600}.map .plain{font-size:12.5px}.map .faint{font-size:12.5px;fill:var(--faint)}.map .small{font-size:11px}',
  '.map .paper{fill:var(--paper)}.map .box>rect,.map .dot>rect{stroke:var(--line)}.map .dot>text{text-anchor:middle}',
  ...KINDS.map((kind) => `.map .${kind}>rect{fill:var(--${kind === 'legend' ? 'paper' : kind})}`),
  '.map .bare>rect,.map .legend>rect{fill:var(--paper);stroke:none}',
  '.map .down>rect{stroke:#d1242f;stroke-dasharray:5 3}.map .warned>rect{stroke:#b08800;stroke-width:1.5}',
  '.map .box>rect.track{fill:var(--track);stroke:none}.map .box>rect.level{stroke:none}',
  '.map .box>rect.fine{fill:var(--fine,#2da44e)}.map .box>rect.high{fill:#d4a72c}.map .box>rect.over{fill:#d1242f}',
].join('');
