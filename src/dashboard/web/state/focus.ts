/**
 * Keeps the place of people who use a keyboard: a browser drops the focus when the page replaces the element that has it,
 * and the next key would go to the top of the page.
 */

const FOCUSABLE = 'a, button, input, select, textarea, summary, [tabindex]';
const NAMES = ['data-id', 'id', 'href', 'name', 'aria-label'] as const;

/** How an element is recognized after a redraw. */
interface Mark {
  readonly name: string;
  /** Among all with this name, such as the third of five buttons "Copy". */
  readonly index: number;
}

let focused: Element | undefined;
let mark: Mark | undefined;
/** Has the focus while the element is not in the page, for instance during a failed read. */
let substitute: Element | undefined;

export function keepFocus(): void {
  addEventListener('focusin', ({ target }) => {
    if (target === substitute || !(target instanceof Element)) return;
    substitute = undefined;
    focused = target;
    const name = nameOf(target);
    mark = { name, index: withName(name).indexOf(target) };
  });
  // A click into the empty page gives up the focus.
  addEventListener('pointerdown', forget);
  new MutationObserver((records) => {
    if (!focused) return;
    const removed = records.flatMap(({ removedNodes }) => [...removedNodes]);
    const isReplaced = !focused.isConnected || removed.some((node) => node.contains(focused ?? null));
    if (isReplaced || substitute) restore();
  }).observe(document.body, { childList: true, subtree: true });
}

/** After a move to another page or card: its heading is read out, and Tab continues from there. */
export function focusHeading(of: 'page' | 'card'): void {
  forget();
  headingOf(of)?.focus({ preventScroll: true });
}

function forget(): void {
  focused = undefined;
  mark = undefined;
  substitute = undefined;
}

function restore(): void {
  const { activeElement } = document;
  const isLost = activeElement === null || activeElement === document.body || activeElement === substitute;
  if (!isLost || !mark) return;
  const found = withName(mark.name);
  const same = found[mark.index] ?? found[0];
  if (same) substitute = undefined;
  else if (substitute?.isConnected) return;
  else substitute = headingOf('card');
  const next = same ?? substitute;
  if (next instanceof HTMLElement || next instanceof SVGElement) next.focus({ preventScroll: true });
}

function headingOf(of: 'page' | 'card'): HTMLElement | undefined {
  const card = of === 'card' ? document.querySelector<HTMLElement>('main h2[tabindex]') : undefined;
  return card ?? document.querySelector<HTMLElement>('h1') ?? undefined;
}

function withName(name: string): Element[] {
  return [...document.querySelectorAll(FOCUSABLE)].filter((element) => nameOf(element) === name);
}

/** Attributes come before the text: the text of a drawing changes with every reading. */
function nameOf(element: Element): string {
  const key = NAMES.find((one) => element.hasAttribute(one));
  return `${element.tagName} ${key ?? ''} ${key ? element.getAttribute(key) : element.textContent}`;
}
