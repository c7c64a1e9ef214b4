import { readdirSync, statSync } from 'node:fs';
import { type Report, runTiers, TIERS, timesOf } from '../../scripts/tiers.mjs';

type Outcome = 'passed' | 'failed';
/** A file of a report with the outcome of each test; `broken` is a file that could not run. */
type File = Outcome[] | 'broken';
/** The result of a run: the files of its report by name, or no report. */
type Run = Record<string, File> | 'crash';

const UNIT = { script: 'test', hasSecondTry: false };
const FAULTS = { script: 'test:faults', hasSecondTry: true };

const reportOf = (files: Record<string, File>): Report => ({
  testResults: Object.entries(files).map(([name, file]) => ({
    name,
    status: file === 'broken' || file.includes('failed') ? 'failed' : 'passed',
    ...{ startTime: 0, endTime: 1_500 * name.length },
    assertionResults: file === 'broken' ? [] : file.map((status) => ({ status, fullName: 'the test' })),
  })),
});

/**
 * Runs tiers with made-up runs.
 * @param runs by script, or by the file that is tried again
 */
async function count(tiers: typeof TIERS, runs: Record<string, Run>, codes: Record<string, number> = {}) {
  const said: string[] = [];
  const asked: string[] = [];
  const run = async ({ script }: { script: string }, file?: string) => {
    asked.push(file ?? script);
    const made = runs[file ?? script] ?? 'crash';
    const report = made === 'crash' ? undefined : reportOf(made);
    const hasFailed = !report || report.testResults.some(({ status }) => status === 'failed');
    return { code: codes[script] ?? Number(hasFailed), report };
  };
  return { ...(await runTiers(tiers, run, (line) => said.push(line))), said, asked };
}

test('the tests of all tiers are counted together', async () => {
  const runs: Record<string, Run> = {
    test: { 'a.test.ts': ['passed', 'passed'], 'b.test.ts': ['passed'] },
    'test:faults': { 'c.test.ts': ['passed'] },
  };
  const counted = await count([UNIT, FAULTS], runs);
  expect(counted).toEqual({ passed: 4, failed: 0, said: [], asked: ['test', 'test:faults'] });
});

test('a file of npm test has no second try', async () => {
  const runs: Record<string, Run> = { test: { 'a.test.ts': ['passed', 'failed'] } };
  expect(await count([UNIT], runs)).toMatchObject({ passed: 1, failed: 1, asked: ['test'] });
});

test('a file of another tier that failed runs again alone, and the second result counts', async () => {
  const runs: Record<string, Run> = {
    'test:faults': { 'a.test.ts': ['passed', 'failed'], 'b.test.ts': ['passed'] },
    'a.test.ts': { 'a.test.ts': ['passed', 'passed'] },
  };
  expect(await count([FAULTS], runs)).toEqual({
    passed: 3,
    failed: 0,
    said: [
      'Second try: a.test.ts failed in npm run test:faults, and passed the second time',
      'Files with a second try: 1',
    ],
    asked: ['test:faults', 'a.test.ts'],
  });
});

test('each of several failed files has a second try, and only one', async () => {
  const runs: Record<string, Run> = {
    'test:faults': { 'a.test.ts': ['failed', 'failed'], 'b.test.ts': ['failed'] },
    'a.test.ts': { 'a.test.ts': ['failed', 'passed'] },
    'b.test.ts': { 'b.test.ts': ['passed'] },
  };
  expect(await count([FAULTS], runs)).toEqual({
    passed: 2,
    failed: 1,
    said: [
      'Second try: a.test.ts failed in npm run test:faults, and failed again',
      'Second try: b.test.ts failed in npm run test:faults, and passed the second time',
      'Failed in npm run test:faults: a.test.ts: the test',
      'Files with a second try: 2',
    ],
    asked: ['test:faults', 'a.test.ts', 'b.test.ts'],
  });
});

test.each<[string, Run]>([
  ['leaves no report', 'crash'],
  ['has a report of other files', { 'b.test.ts': ['passed'] }],
])('the first result counts where the second try %s', async (_what, second) => {
  const runs = { 'test:faults': { 'a.test.ts': ['passed', 'failed'] as Outcome[] }, 'a.test.ts': second };
  expect(await count([FAULTS], runs)).toMatchObject({
    passed: 1,
    failed: 1,
    said: [
      'Second try: a.test.ts failed in npm run test:faults, and had no second result',
      'Failed in npm run test:faults: a.test.ts: the test',
      'Files with a second try: 1',
    ],
  });
});

test('a file that cannot run is a failure, also in its second try', async () => {
  const broken: Run = { 'a.test.ts': 'broken' };
  const runs = { test: broken, 'test:faults': broken, 'a.test.ts': broken };
  expect(await count([UNIT, FAULTS], runs)).toMatchObject({ passed: 0, failed: 2 });
});

test('a tier without a report is a failure, and the next tiers still run', async () => {
  const runs: Record<string, Run> = { test: 'crash', 'test:faults': { 'a.test.ts': ['passed'] } };
  expect(await count([UNIT, FAULTS], runs)).toMatchObject({
    passed: 1,
    failed: 1,
    said: ['npm run test ended with 1 and left no report: counted as a failure'],
  });
});

test('a tier with a bad exit code and no failed test is a failure', async () => {
  const runs: Record<string, Run> = { 'test:faults': { 'a.test.ts': ['passed'] } };
  expect(await count([FAULTS], runs, { 'test:faults': 1 })).toMatchObject({
    passed: 1,
    failed: 1,
    said: ['npm run test:faults ended with 1 though no test failed: counted as a failure'],
  });
});

test('a tier that skips all of its tests is no failure', async () => {
  expect(await count([FAULTS], { 'test:faults': {} })).toMatchObject({ passed: 0, failed: 0, said: [] });
});

test('CI runs every tier, and only npm test has no second try, on all versions of Node.js', () => {
  expect(TIERS).toMatchObject([
    { script: 'test', hasSecondTry: false },
    { script: 'test', hasSecondTry: false, databaseDelayMillis: 25 },
    { script: 'test:faults', hasSecondTry: true },
    { script: 'test:mongodb', hasSecondTry: true },
    { script: 'test:services', hasSecondTry: true },
    { script: 'test:browser', hasSecondTry: true },
    { script: 'test', hasSecondTry: false, node: expect.stringMatching(/^24\./) },
    { script: 'test:faults', hasSecondTry: true, node: expect.stringMatching(/^24\./) },
    { script: 'test', hasSecondTry: false, node: expect.stringMatching(/^26\./) },
    { script: 'test:faults', hasSecondTry: true, node: expect.stringMatching(/^26\./) },
  ]);
  // Jest runs nothing for a file or folder that is gone, and says nothing.
  for (const place of TIERS.flatMap(({ only = [] }) => only)) {
    expect(statSync(place).isFile() || readdirSync(place).length > 0).toBe(true);
  }
});

test('the name of a tier contains its version of Node.js and the delay of its database', async () => {
  const tiers = [
    { ...UNIT, node: '26.10.0' },
    { ...UNIT, databaseDelayMillis: 25 },
  ];
  const { said } = await count(tiers, { test: 'crash' });
  expect(said).toEqual([
    'npm run test on Node.js 26.10.0 ended with 1 and left no report: counted as a failure',
    'npm run test behind a database that is 25 ms late ended with 1 and left no report: counted as a failure',
  ]);
});

test('the times of a tier name its longest files', () => {
  const files = Array.from({ length: 12 }, (_, index) => 'a'.repeat(index + 1));
  const line = timesOf(UNIT, 90_000, reportOf(Object.fromEntries(files.map((name) => [name, ['passed']]))));
  expect(line).toMatch(/^npm run test took 1\.5 min; longest: a{12} 18 s, (?:a+ \d+ s, ){8}a{3} 5 s$/);
});
