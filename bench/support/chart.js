import { reachText } from './table.js';

const WIDTH = 860;
const ROW_HEIGHT = 44;
const TOP = 40;
const LEFT = 20;
const BAR_WIDTH = WIDTH - 2 * LEFT;
/** The right end of the chart, in multiples of the target. Longer bars are cut off there. */
const MAX_WAY = 2;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .quiet { fill: #59636e }
  .reached { fill: #2da44e }
  .missed { fill: #cf222e }
  line { stroke: #1f2328; stroke-dasharray: 4 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    line { stroke: #e6edf3 }
  }
`;

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** How far a row is: 1 is its target, and more is better, also if a lower ratio is better. */
const wayOf = ({ ratio, reach }) =>
  'least' in reach ? ratio.median / reach.least : reach.most / ratio.median;

function bar(row, index) {
  const y = TOP + index * ROW_HEIGHT;
  const width = (BAR_WIDTH * Math.min(wayOf(row), MAX_WAY)) / MAX_WAY;
  const ratio = `${row.ratio.median.toFixed(2)} (${reachText(row.reach)})`;
  return `
  <text x="${LEFT}" y="${y + 14}">${escaped(row.what)}</text>
  <text x="${WIDTH - LEFT}" y="${y + 14}" text-anchor="end" class="quiet">${escaped(ratio)}</text>
  <rect x="${LEFT}" y="${y + 20}" width="${width.toFixed(1)}" height="10" rx="2" class="${row.reached ? 'reached' : 'missed'}"/>`;
}

/** A bar for the ratio of each row that has a target, and one line that shows the target of all rows. */
export function chart({ date, node, cores, rows }) {
  const all = Object.values(rows).filter(({ reach }) => reach);
  const height = TOP + all.length * ROW_HEIGHT + 10;
  const reach = LEFT + BAR_WIDTH / MAX_WAY;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">
  <title>How far each benchmark is on its way to what it is to reach</title>
  <style>${STYLE}</style>
  <text x="${reach}" y="18" text-anchor="middle">to be reached</text>
  <text x="${WIDTH - LEFT}" y="18" text-anchor="end" class="quiet">${escaped(`${date}, Node.js ${node}, ${cores} cores`)}</text>
  <line x1="${reach}" y1="26" x2="${reach}" y2="${height - 10}"/>${all.map(bar).join('')}
</svg>
`;
}
