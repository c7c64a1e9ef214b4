/** A number with three significant digits, and with all digits before the point. */
const digits = (value) => (value >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString());
const ofRounds = ({ median, min, max }, unit) => `${digits(median)}${unit} (${digits(min)} - ${digits(max)})`;
const ofRatio = ({ median, min, max }) => `${median.toFixed(2)} (${min.toFixed(2)} - ${max.toFixed(2)})`;

export const reachText = (reach) => ('least' in reach ? `>= ${reach.least}` : `<= ${reach.most}`);

/** The cells of a row: text by heading. */
export const cellsOf = ({ what, yardstick, unit, value, yardstickValue, ratio, reach, reached }) => ({
  what,
  'median (min - max)': ofRounds(value, unit),
  yardstick: `${yardstick}: ${digits(yardstickValue.median)}${unit}`,
  ratio: ofRatio(ratio),
  reach: `${reachText(reach)}: ${reached ? 'reached' : 'MISSED'}`,
});

/** The additional measurements, one per line. */
export const besidesOf = (rows) =>
  Object.values(rows).flatMap(({ what, others }) =>
    Object.entries(others).map(([other, value]) => `${what}: ${other}: ${digits(value)}`),
  );

/** The rows as a table in Markdown. */
export function markdownTable(rows) {
  const cells = Object.values(rows).map(cellsOf);
  const headings = ['what', 'median (min - max)', 'yardstick', 'ratio', 'reach'];
  const line = (texts) => `| ${texts.join(' | ')} |`;
  return [
    line(headings),
    line(headings.map(() => '---')),
    ...cells.map((row) => line(headings.map((heading) => row[heading]))),
  ].join('\n');
}
