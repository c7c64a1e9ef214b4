const MARKS = { same: 'ok         ', 'other bytes': 'other bytes', different: 'DIFFERENT  ' };

/** Whatever a service answers, it does not get to move the cursor. */
const printable = (text) =>
  text.replace(/\p{Cc}/gu, (control) => `\\x${control.codePointAt(0).toString(16).padStart(2, '0')}`);

/** The lines about one exchange: its verdict, and where it differs. */
export function formatResult({ name, verdict, expected, actual }) {
  const line = `${MARKS[verdict]} ${name}`;
  if (verdict === 'same') {
    return line;
  }
  return [line, `    expected: ${printable(expected)}`, `    answered: ${printable(actual)}`].join('\n');
}

/** How many exchanges of each endpoint there were, by verdict, and of all in the last row. */
export function countByEndpoint(results) {
  const rows = new Map();
  const total = newRow('all');
  for (const { path, verdict } of results) {
    const row = rows.get(path) ?? newRow(path);
    rows.set(path, row);
    for (const counted of [row, total]) {
      counted.exchanges += 1;
      counted[verdict] += 1;
    }
  }
  return [...rows.values(), total];
}

const newRow = (endpoint) => ({ endpoint, exchanges: 0, same: 0, 'other bytes': 0, different: 0 });

/** A table of objects with the same keys, the numbers to the right. */
export function formatTable(rows) {
  const columns = Object.keys(rows[0]);
  const widths = columns.map((column) =>
    Math.max(...[column, ...rows.map((row) => `${row[column]}`)].map((cell) => cell.length)),
  );
  const line = (cells) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ');
  return [columns, ...rows.map((row) => columns.map((column) => `${row[column]}`))].map(line).join('\n');
}
