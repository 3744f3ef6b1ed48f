/** An SVG that the shared drawing code made: what can be opened in it is opened by click, Enter or space. */
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * How wide the frame is, now and whenever it changes; 0 until it is known. It is measured before the browser handles the
 * next key, so Tab never finds a page without its drawing.
 */
export function useWidth(frame: RefObject<HTMLDivElement | null>): number {
  const width = useSignal(0);
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return;
    width.value = current.clientWidth;
    const watch = new ResizeObserver(([entry]) => {
      const next = Math.floor(entry?.contentRect.width ?? 0);
      if (next !== width.value) width.value = next;
    });
    watch.observe(current);
    return () => watch.disconnect();
  }, [frame, width]);
  return width.value;
}

/** What opens the thing under the pointer, or the one that has the focus. */
export function opener(onOpen: (id: string) => void) {
  const open = (event: Event): void => {
    const id = event.target instanceof Element && event.target.closest('[data-id]')?.getAttribute('data-id');
    if (id) onOpen(id);
  };
  return {
    click: open,
    key(event: KeyboardEvent): void {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      open(event);
    },
  };
}

export function Drawing({
  draw,
}: {
  /** Gives SVG for so many pixels of width. */
  readonly draw: (width: number) => string;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const html = width === 0 ? '' : draw(width);
  return <div class="drawing" ref={frame} dangerouslySetInnerHTML={{ __html: html }} />;
}
