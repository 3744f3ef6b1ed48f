/** An SVG that the shared drawing code made: what can be opened in it is opened by click, Enter or space. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export function Drawing({
  draw,
  onOpen,
  marked,
}: {
  /** Gives SVG for so many pixels of width. */
  readonly draw: (width: number) => string;
  readonly onOpen?: (id: string) => void;
  /** Things to point at: what just changed. */
  readonly marked?: ReadonlySet<string>;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useEffect(() => {
    const { current } = frame;
    if (!current) return;
    const watch = new ResizeObserver(([entry]) => {
      const next = Math.floor(entry?.contentRect.width ?? 0);
      if (next !== width.value) width.value = next;
    });
    watch.observe(current);
    return () => watch.disconnect();
  }, [width]);
  const html = width.value === 0 ? '' : draw(width.value);
  useEffect(() => {
    for (const box of frame.current?.querySelectorAll('[data-id]') ?? [])
      box.classList.toggle('fresh', marked?.has(box.getAttribute('data-id') ?? '') === true);
  });
  const open = (event: Event): void => {
    const id = event.target instanceof Element && event.target.closest('[data-id]')?.getAttribute('data-id');
    if (id) onOpen?.(id);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons are inside the drawing
    <div
      class="drawing"
      ref={frame}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        open(event);
      }}
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
