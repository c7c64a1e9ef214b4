import path from 'node:path';

/**
 * The parts of `npm test` in which versions of Node.js differ: sockets and streams, hashes, mails, stored documents, Unicode and
 * domains, `fetch`, and the native code of the embedded database.
 */
const FOR_EACH_NODE = [
  'tests/integration/',
  'tests/hostile/texts.test.ts',
  ...['http', 'documents', 'passwords', 'reviews', 'privacy'].map((topic) => `tests/contract/${topic}/`),
  'packages/client/tests/',
  'packages/guard/tests/',
  ...['backup', 'durability', 'wire'].map((name) => `packages/embedded-mongo/tests/${name}.test.ts`),
];

/** The parts of `npm test` whose tests race with the database, wait behind it, or make many records. */
const BEHIND_SLOW_DATABASE = [
  'contract/login/floods',
  'contract/operations/audit-trail',
  'contract/operations/lost-exchanges',
  'contract/registration/races',
  'integration/admin-accounts',
  'integration/audit-trail',
  'integration/db-move',
  'integration/store-limits',
  'unit/auth/audit-trail',
  'unit/patches/mongodb-writes',
  'unit/tokens/token-batches',
  'unit/tokens/token-uses',
].map((name) => `tests/${name}.test.ts`);

/**
 * The parts of `npm run test:mongodb` that run without a `mongod`. The embedded engine has already run the others, without TLS.
 */
const ON_THE_ENGINE = [
  'tests/mongodb/',
  ...['login/login', 'tokens/logout'].map((topic) => `tests/contract/${topic}.test.ts`),
  'tests/faults/health.test.ts',
  ...['db-move', 'check'].map((topic) => `tests/integration/${topic}.test.ts`),
  'tests/legacy/import.test.ts',
  'packages/embedded-mongo/tests/semantics.test.ts',
];

/**
 * The tiers of the tests in the order in which CI runs them; CONTRIBUTING.md says what each is. Some run once more, in part, on
 * another version of Node.js or with TEST_DATABASE_DELAY_MS.
 */
export const TIERS = [
  { script: 'test', hasSecondTry: false },
  { script: 'test', hasSecondTry: false, databaseDelayMillis: 25, only: BEHIND_SLOW_DATABASE },
  { script: 'test:faults', hasSecondTry: true },
  {
    script: 'test:mongodb',
    hasSecondTry: true,
    ...(process.env.TEST_MONGOD === undefined && { only: ON_THE_ENGINE }),
  },
  { script: 'test:services', hasSecondTry: true },
  { script: 'test:browser', hasSecondTry: true },
  // The Node.js of the image, and the newest one. Node.js 20 keeps no compiled code.
  {
    script: 'test',
    hasSecondTry: false,
    node: '24.21.0',
    only: [...FOR_EACH_NODE, 'tests/contract/rest/', 'tests/contract/graphql/'],
  },
  {
    script: 'test:faults',
    hasSecondTry: true,
    node: '24.21.0',
    only: ['tests/faults/compiled-code.test.ts', 'tests/processes/'],
  },
  { script: 'test', hasSecondTry: false, node: '26.10.0', only: FOR_EACH_NODE },
  { script: 'test:faults', hasSecondTry: true, node: '26.10.0', only: ['tests/processes/'] },
];

const nameOf = ({ script, node, databaseDelayMillis: delay }) =>
  `npm run ${script}${node ? ` on Node.js ${node}` : ''}${delay ? ` behind a database that is ${delay} ms late` : ''}`;

const seconds = ({ startTime, endTime }) => Math.round((endTime - startTime) / 1000);

/** How long a tier took, and its ten longest files. */
export function timesOf(tier, millis, { testResults }) {
  const longest = testResults.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, 10);
  const files = longest.map((file) => `${path.relative('.', file.name)} ${seconds(file)} s`);
  return `${nameOf(tier)} took ${(millis / 60_000).toFixed(1)} min; longest: ${files.join(', ')}`;
}

const isFailed = ({ status }) => status === 'failed';

/** Counts the tests of a file. A file that could not run counts as one failed test. */
function countFile(result) {
  const passed = result.assertionResults.filter(({ status }) => status === 'passed').length;
  const failed = result.assertionResults.filter(isFailed).length;
  return { passed, failed: isFailed(result) ? Math.max(failed, 1) : failed };
}

/**
 * Runs tiers one after the other.
 * @param run runs `npm run <script>` of a tier, all of its tests or only one file. It returns the exit code and Jest's
 *   report (`--json`), or undefined if there is none
 * @param say called with a line about each problem
 * @returns the number of passed and failed tests; the second try of a file replaces the first
 */
export async function runTiers(tiers, run, say) {
  const total = { passed: 0, failed: 0 };
  const lines = [];
  const count = ({ passed, failed }) => {
    total.passed += passed;
    total.failed += failed;
  };
  let secondTries = 0;
  for (const tier of tiers) {
    const { code, report } = await run(tier);
    if (!report) {
      say(`${nameOf(tier)} ended with ${code} and left no report: counted as a failure`);
      count({ passed: 0, failed: 1 });
      continue;
    }
    for (const result of report.testResults) {
      const isTriedAgain = tier.hasSecondTry && isFailed(result);
      secondTries += Number(isTriedAgain);
      const last = isTriedAgain ? await tryAgain(tier, result, run, say) : result;
      count(countFile(last));
      const failures = last.assertionResults.filter(isFailed).map(({ fullName }) => fullName);
      const names = failures.length === 0 && isFailed(last) ? ['the file could not run'] : failures;
      lines.push(...names.map((name) => `Failed in ${nameOf(tier)}: ${last.name}: ${name}`));
    }
    if (code !== 0 && !report.testResults.some(isFailed)) {
      say(`${nameOf(tier)} ended with ${code} though no test failed: counted as a failure`);
      count({ passed: 0, failed: 1 });
    }
  }
  lines.forEach(say);
  if (secondTries > 0) {
    say(`Files with a second try: ${secondTries}`);
  }
  return total;
}

/** Runs a failed file again, alone, and reports the outcome. */
async function tryAgain(tier, first, run, say) {
  const { report } = await run(tier, first.name);
  const second = report?.testResults.find(({ name }) => name === first.name);
  const outcome = !second
    ? 'had no second result'
    : isFailed(second)
      ? 'failed again'
      : 'passed the second time';
  say(`Second try: ${first.name} failed in ${nameOf(tier)}, and ${outcome}`);
  return second ?? first;
}
