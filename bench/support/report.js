import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { chart } from './chart.js';
import { figuresForOperators } from './figures.js';
import { markdownTable } from './table.js';

const README = new URL('../README.md', import.meta.url);
const PERFORMANCE = new URL('../../docs/performance.md', import.meta.url);
const CHART = new URL('../results.svg', import.meta.url);
const SECTION = /(<!-- results -->\n)[\s\S]*(<!-- end of results -->)/;
/** The version of Node.js in the image. Its results are the table; those of other versions stand beside them. */
const OFFICIAL = '24';

const section = ({ date, node, cpu, cores, rows }, others) =>
  `${date}, ${cpu}, ${cores} cores, Node.js ${node}; the medians of all rounds.\n\n${markdownTable(rows, others)}`;

/** Replaces what stands between the marks of a document. */
function write(document, text) {
  const before = readFileSync(document, 'utf8');
  if (!SECTION.test(before)) {
    throw new Error(`${document.pathname} has lost the marks of its results`);
  }
  writeFileSync(
    document,
    before.replace(SECTION, (_all, start, end) => `${start}${text}\n${end}`),
  );
}

/**
 * Draws the chart, and writes the results into bench/README.md and the figures for operators into docs/performance.md.
 * @param results by the major version of Node.js
 */
export function writeReport(results) {
  const { [OFFICIAL]: official, ...others } = results;
  // The first runs may be on another version.
  const shown = official ?? Object.values(others)[0];
  writeFileSync(CHART, chart(shown));
  write(README, section(shown, official ? others : {}));
  write(PERFORMANCE, figuresForOperators(shown));
  // The same format as `npm run fix`.
  execFileSync('npx', ['--no-install', 'biome', 'format', '--write', 'bench', 'docs/performance.md'], {
    stdio: 'pipe',
  });
}
