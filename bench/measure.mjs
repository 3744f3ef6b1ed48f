/** CPU time of all threads of this process, garbage collection included, in milliseconds. */
export function cpuTime(work) {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return { result, milliseconds: (user + system) / 1000 };
}

/** Rows of cells; numbers are printed with one digit, right-aligned. */
export function printTable(title, rows) {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell.toFixed(1) : cell)));
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
      .join('  '),
  );
  process.stdout.write(`${title}\n${lines.map((line) => `  ${line}`).join('\n')}\n`);
}
