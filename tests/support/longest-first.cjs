const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Tests that take minutes, the longest first. If one of them began last, a single core would work at the end. Jest itself knows no
 * times in a new clone, and goes by size.
 */
const LONGEST = [
  'legacy/services/removals',
  'legacy/services/life',
  'legacy/services/killed-sync',
  'services/terminal/shell-blocks',
  'services/packages/client-recipes',
  'services/packages/gateway-package',
  'faults/large-sweep',
  'faults/full-disk',
  'browser/graphiql',
  'browser/console',
  'table/operations',
  'operations/done-acts',
  'tokens/endings',
  'hostile/texts',
  'semantics',
  'login/floods',
  'two-factor/limits',
  'operations/set-clock',
  'graphql/graphql-paths',
  'rest/legacy',
  'table/operators',
];

const rankOf = ({ path }) => {
  const rank = LONGEST.findIndex((name) => path.endsWith(`/${name}.test.ts`));
  return rank === -1 ? LONGEST.length : rank;
};

/** The order in which Jest begins test files: the longest, then as Jest itself would. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => rankOf(a) - rankOf(b));
  }
};
