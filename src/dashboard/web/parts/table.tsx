/** Tables: the twin of every picture, and lists of their own. Long ones show more when asked. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Column<T> {
  readonly head: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Numbers stand right. */
  readonly number?: boolean;
}

const AT_FIRST = 60;

export function Table<T>({
  name,
  columns,
  rows,
  empty = 'Nothing.',
}: {
  readonly name: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly empty?: string;
}) {
  const all = useSignal(false);
  if (rows.length === 0) return <p class="soft">{empty}</p>;
  const shown = all.value ? rows : rows.slice(0, AT_FIRST);
  const className = (column: Column<T>) => (column.number ? 'number' : undefined);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
      <section class="scroll" aria-label={name} tabIndex={0}>
        <table>
          <caption class="hidden">{name}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.head} scope="col" class={className(column)}>
                  {column.head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              <tr key={index}>
                {columns.map((column) => (
                  <td key={column.head} class={className(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {shown.length < rows.length && (
        <button
          type="button"
          onClick={() => {
            all.value = true;
          }}
        >
          Show all {rows.length}
        </button>
      )}
    </>
  );
}

/** The same as the picture above it, as a table; made only when it is opened. */
export function Twin({
  children,
  name,
}: {
  readonly name: string;
  readonly children: () => ComponentChildren;
}) {
  const open = useSignal(false);
  const id = useId();
  return (
    <div class="twin">
      <button
        type="button"
        class="link"
        aria-expanded={open.value}
        aria-controls={id}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        {open.value ? '▾' : '▸'} {name} as a table
      </button>
      <div id={id}>{open.value && children()}</div>
    </div>
  );
}
