import { readConfig } from '../../../src/config/config.ts';
import { problemsOfFile } from '../../support/config-problems.ts';
import { LANR, NPI, rulesSetting } from '../../support/license-rules.ts';

const problemsIn = (content: unknown) =>
  problemsOfFile('LICENSE_RULES_FILE', rulesSetting(content, 'wrong.json'));

test('rules are read in their order', () => {
  const { licenseRules } = readConfig(rulesSetting());
  expect(licenseRules).toMatchObject([
    { name: 'NPI', lookup: NPI.lookup },
    { name: 'LANR', check: LANR.check },
  ]);
  expect(readConfig({}).licenseRules).toEqual([]);
});

const NO_PATTERN = 'must be a pattern of RE2 with up to 100 instructions';
const NO_CHECK = 'must be either { "luhn": "…" } with the digits of a prefix, or { "weights": [4, 9, …] }';
const NO_LOOKUP = 'must be an https address with {number} once, in its path or query';

test.each([
  ['name', [undefined, '', 'a\nb', 'x'.repeat(65)], 'must be one line of up to 64 characters'],
  ['pattern', [undefined, '(', '(?=1)', '(a)\\1', '\\d{101}', '(?:a{9}){12}', 'x'.repeat(256)], NO_PATTERN],
  ['check', ['luhn', {}, { luhn: 1 }, { luhn: 'x' }, { mod11: 1 }], NO_CHECK],
  ['check', [{ weights: [] }, { weights: [0] }, { weights: [1.5] }, { luhn: '', weights: [1] }], NO_CHECK],
  ['source', ['', 'a\nb'], 'must be one line of up to 255 characters'],
  [
    'lookup',
    ['http://a.example/{number}', 'https://{number}.example/', 'https://a.example{number}'],
    NO_LOOKUP,
  ],
  [
    'lookup',
    ['https://a.example:{number}/', 'https://me@a.example/{number}', 'https://a.example/'],
    NO_LOOKUP,
  ],
  ['lookup', ['https://a.example/{number}/{number}', 'https://a.example/#{number}'], NO_LOOKUP],
  ['lookup', ['javascript:alert({number})'], NO_LOOKUP],
])('a wrong %s of a rule is refused with the file and the key', (key, values, problem) => {
  for (const value of values) {
    expect(problemsIn({ rules: [LANR, { ...NPI, [key]: value }] })).toEqual([
      `key "rules[2].${key}" ${problem}.`,
    ]);
  }
});

test('an unknown key, and what is no list of rules, are refused', () => {
  expect(problemsIn({ rules: [{ ...NPI, regexp: 'x' }], more: 1 })).toEqual([
    'key "more" is unknown.',
    'key "rules[1].regexp" is unknown.',
  ]);
  for (const rules of [undefined, [], {}, Array(21).fill(NPI)]) {
    expect(problemsIn({ rules })).toEqual(['key "rules" must be a list of 1 to 20 rules.']);
  }
  expect(problemsIn({ rules: [null] })).toEqual([
    'key "rules[1].name" must be one line of up to 64 characters.',
    'key "rules[1].pattern" must be a pattern of RE2 with up to 100 instructions.',
  ]);
  expect(problemsIn('[')).toEqual([expect.stringMatching(/^is not JSON/)]);
});
