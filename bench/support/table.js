import { isSame } from './results.js';

/** A number with three significant digits, and with all digits before the point. */
export const digits = (value) => (value >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString());
const ofRounds = ({ median, min, max }, unit) => `${digits(median)}${unit} (${digits(min)} - ${digits(max)})`;
const ofRatio = ({ median, min, max }) => `${median.toFixed(2)} (${min.toFixed(2)} - ${max.toFixed(2)})`;

export const reachText = (reach) => ('least' in reach ? `>= ${reach.least}` : `<= ${reach.most}`);

const verdict = ({ reach, reached }) => `${reachText(reach)}: ${reached ? 'reached' : 'MISSED'}`;

/** The names of additional measurements: processor time of servers and engine for an answer, in milliseconds. */
export const CPU = 'CPU ms an answer, with the engine';
export const YARDSTICK_CPU = 'CPU ms an answer of the yardstick, with the engine';

/** Stands beside the ratio: a yardstick that ran slower than usual makes the gateway look better. */
const yardstickCpu = ({ others }) => (YARDSTICK_CPU in others ? `${digits(others[YARDSTICK_CPU])} ms` : '');

/** The cells of a row: text by heading. */
export const cellsOf = (row) => ({
  what: row.what,
  'median (min - max)': ofRounds(row.value, row.unit),
  yardstick: `${row.yardstick}: ${digits(row.yardstickValue.median)}${row.unit}`,
  ratio: ofRatio(row.ratio),
  'CPU of the yardstick': yardstickCpu(row),
  reach: row.reach ? verdict(row) : '',
});

/** The additional measurements, one per line. */
export const besidesOf = (rows) =>
  Object.values(rows).flatMap(({ what, others }) =>
    Object.entries(others).map(([other, value]) => `${what}: ${other}: ${digits(value)}`),
  );

const targetOf = ({ reach, reached }) =>
  reach === undefined ? '' : `${reachText(reach).replace(' ', '')}${reached ? '' : ' MISSED'}`;

/** A table in Markdown. Its first row are the headings; every row is a list of texts. */
export function tableOf([headings, ...rows]) {
  const line = (texts) => `| ${texts.join(' | ')} |`.replaceAll('  |', ' |');
  return [headings, headings.map(() => '---'), ...rows].map(line).join('\n');
}

/**
 * The medians of the rows as a table in Markdown. results.json also has the least and the most, and the additional measurements.
 * @param others results of other versions of Node.js; the ratio of each is a column
 */
export function markdownTable(rows, others) {
  const headings = ['row', 'median', 'yardstick', 'ratio', 'CPU of the yardstick', 'target'];
  const versions = Object.keys(others);
  const cells = Object.entries(rows).map(([name, row]) => {
    const besides = versions.map((version) => others[version].rows[name]);
    return [
      `\`${name}\`: ${row.what}`,
      digits(row.value.median) + row.unit,
      cellsOf(row).yardstick,
      row.ratio.median.toFixed(2),
      yardstickCpu(row),
      targetOf(row),
      ...besides.map((other) => (isSame(other, row) ? other.ratio.median.toFixed(2) : '')),
    ];
  });
  return tableOf([[...headings, ...versions.map((version) => `ratio on Node.js ${version}`)], ...cells]);
}
