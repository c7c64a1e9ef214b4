import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { chart } from './chart.js';
import { besidesOf, markdownTable } from './table.js';

const README = new URL('../README.md', import.meta.url);
const CHART = new URL('../results.svg', import.meta.url);
const SECTION = /(<!-- results -->\n)[\s\S]*(<!-- end of results -->)/;

function section({ date, node, cpu, cores, rounds, rows }) {
  const machine = `${date}, ${cpu}, ${cores} cores, Node.js ${node}; the median of ${rounds} rounds (the least - the most).`;
  const others = Object.values(rows).filter((row) => row.date !== date || row.node !== node);
  const besides = [
    ...besidesOf(rows),
    ...others.map((row) => `${row.what}: measured on ${row.date}, Node.js ${row.node}`),
  ];
  const list = besides.map((line) => `- ${line}`).join('\n');
  const paragraphs = [machine, markdownTable(rows), ...(list ? ['Measured besides:', list] : [])];
  return paragraphs.join('\n\n');
}

/** Draws the chart and writes the results into the README, between their marks. */
export function writeReport(results) {
  writeFileSync(CHART, chart(results));
  const readme = readFileSync(README, 'utf8');
  if (!SECTION.test(readme)) {
    throw new Error('bench/README.md has lost the marks of its results');
  }
  const written = readme.replace(SECTION, (_all, start, end) => `${start}${section(results)}\n${end}`);
  writeFileSync(README, written);
  // The same format as `npm run fix`.
  execFileSync('npx', ['--no-install', 'biome', 'format', '--write', 'bench'], { stdio: 'pipe' });
}
