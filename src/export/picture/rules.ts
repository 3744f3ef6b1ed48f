/** How boxes look, by their kinds; the colours are variables of whatever shows them. */
const KINDS = ['cluster', 'host', 'group', 'reserved', 'controlplane', 'worker', 'data', 'parked', 'legend'];

export const PICTURE_RULES = [
  '.map text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink);white-space:pre}',
  '.map .title{font-size:15px;font-weight:600}.map .plain{font-size:12.5px}.map .faint{font-size:12.5px;fill:var(--faint)}.map .small{font-size:11px}',
  '.map .paper{fill:var(--paper)}.map .box>rect,.map .dots>path{stroke:var(--line)}.map .dots>path{stroke-linejoin:round}.map .dots>text{text-anchor:middle}',
  ...KINDS.map(
    (kind) => `.map .${kind}>rect,.map .${kind}>path{fill:var(--${kind === 'legend' ? 'paper' : kind})}`,
  ),
  '.map .bare>rect,.map .legend>rect{fill:var(--paper);stroke:none}',
  '.map .down>rect,.map .down>path{stroke:#d1242f;stroke-dasharray:5 3}.map .warned>rect,.map .warned>path{stroke:#b08800;stroke-width:1.5}',
  '.map .box>rect.track{fill:var(--track);stroke:none}.map .box>rect.level{stroke:none}',
  '.map .box>rect.fine{fill:var(--fine,#2da44e)}.map .box>rect.high{fill:#d4a72c}.map .box>rect.over{fill:#d1242f}',
  '.map .arrival>rect{fill:none;stroke:var(--move);stroke-dasharray:4 3}.map .fresh>rect:first-of-type,.map .fresh>path{stroke:var(--move);stroke-width:2.5}',
  '.map .move path{fill:none}.map .move .line{stroke:var(--move);stroke-width:2;stroke-linejoin:round}',
  '.map .move .head,.map .move circle{fill:var(--move)}.map .move text{fill:var(--move);font-weight:600;text-anchor:middle;paint-order:stroke;stroke:var(--paper);stroke-width:4px}',
].join('');
