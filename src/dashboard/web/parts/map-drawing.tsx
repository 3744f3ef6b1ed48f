/** The map in pieces, one for each host: what did not change stays in the page as it is. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Closeness } from '../../../export/picture/node-boxes.js';
import type { HostPicture } from '../../../export/picture/picture.js';
import { opener, useWidth } from './drawing.js';
import { fitHosts } from './fit-hosts.js';

export function MapDrawing({
  hosts,
  detail,
  name,
  fresh,
  onOpen,
}: {
  readonly hosts: readonly HostPicture[];
  readonly detail: Closeness['detail'];
  readonly name: string;
  /** Nodes that just changed. */
  readonly fresh: ReadonlySet<string>;
  readonly onOpen: (id: string) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const available = useWidth(frame);
  const open = opener(onOpen);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons are inside the drawing
    <div class="drawing" ref={frame} onClick={open.click} onKeyDown={open.key}>
      {available > 0 && <Hosts {...fitHosts(hosts, detail, available, fresh)} name={name} />}
    </div>
  );
}

function Hosts({
  width,
  height,
  pieces,
  arrows,
  name,
}: ReturnType<typeof fitHosts> & { readonly name: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no drawing
    <svg
      class="map"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label={name}
    >
      {pieces.map((piece) => (
        <Markup key={piece.key} svg={piece.svg} transform={`translate(${piece.x} ${piece.y})`} />
      ))}
      <Markup svg={arrows} />
    </svg>
  );
}

/** Written by the drawing code, which escapes every name. Replaced only if the text differs from the one before. */
function Markup({ svg, transform }: { readonly svg: string; readonly transform?: string }) {
  const group = useRef<SVGGElement>(null);
  useLayoutEffect(() => {
    if (group.current) group.current.innerHTML = svg;
  }, [svg]);
  return <g ref={group} transform={transform} />;
}
