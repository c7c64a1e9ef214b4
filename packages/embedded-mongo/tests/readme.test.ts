import { readFileSync } from 'node:fs';
import { COMMANDS } from '../src/commands/registry.ts';
import { OPERATORS } from '../src/expressions/operators/operators.ts';
import { compileFilter } from '../src/matching/matcher.ts';
import { compilePipeline } from '../src/pipeline/compile-pipeline.ts';
import { ACCUMULATORS } from '../src/pipeline/stages/accumulators.ts';
import { UPDATE_OPERATORS } from '../src/update/update-operators.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** The names in the rows of the tables under "What it has". */
function listed(pattern: RegExp, ...rows: string[]): string[] {
  const [, section = ''] = /\n## What it has\n([\s\S]*?)\n## /.exec(README) ?? [];
  const lines = section.split('\n').filter((line) => rows.some((row) => line.startsWith(`| ${row} `)));
  return lines.flatMap((line) => [...line.matchAll(pattern)].map(([name]) => name)).sort();
}

const OPERATOR = /(?<!\$)\$[a-zA-Z]+/g;
const KINDS = [
  'Comparison',
  'Conditions',
  'Numbers',
  'Strings',
  'Arrays',
  'Objects',
  'Dates',
  'Types',
  'Variables',
];
/** Older spellings. */
const ALIASES = ['ismaster', 'buildinfo', 'findandmodify'];

test.each<[string, string[], string[]]>([
  ['expressions', listed(OPERATOR, ...KINDS), Object.keys(OPERATORS)],
  ['accumulators', listed(OPERATOR, 'Accumulators'), Object.keys(ACCUMULATORS)],
  ['updates', listed(OPERATOR, 'Updates'), ['$rename', ...Object.keys(UPDATE_OPERATORS)]],
  [
    'commands',
    listed(/(?<=`)\w+(?=`)/g, 'read', 'write', 'catalog', 'server'),
    Object.keys(COMMANDS).filter((name) => !ALIASES.includes(name)),
  ],
])('the README lists the %s that the engine has', (_, names, known) => {
  expect(names).toEqual([...known].sort());
});

/** The message of the error that a wrong operand gives; empty without an error. */
function problemOf(compile: () => unknown): string {
  try {
    compile();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

const REFUSAL = /unknown|unrecognized|not implemented/i;

test('the README lists no stage and no filter that the engine refuses', () => {
  const problemOfStage = (name: string) =>
    problemOf(() => compilePipeline([{ [name]: 1 }], { findCollection: () => undefined }));
  const ofDocuments = ['$and', '$or', '$nor', '$expr', '$comment'];
  const problemOfFilter = (name: string) =>
    problemOf(() => compileFilter(ofDocuments.includes(name) ? { [name]: [{}] } : { a: { [name]: [1, 0] } }));
  const problems = [
    ...listed(OPERATOR, 'Stages').map(problemOfStage),
    ...listed(OPERATOR, 'Filters').map(problemOfFilter),
  ];
  expect(problems.length).toBeGreaterThan(20);
  expect(problems.filter((problem) => REFUSAL.test(problem))).toEqual([]);
  expect([problemOfStage('$out'), problemOfFilter('$where')].filter((each) => !REFUSAL.test(each))).toEqual(
    [],
  );
});
