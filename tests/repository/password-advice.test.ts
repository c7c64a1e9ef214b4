import fc from 'fast-check';
import { adviceOn } from '../../pages/people/password/password-advice.ts';
import { isPersonal } from '../../pages/people/password/personal-password.ts';
import { isPersonalPassword } from '../../src/auth/passwords/password-rules.ts';

const NOBODY = { name: '', email: '' };

/** Passwords around the words of a person, as people make them. */
const aCase = fc
  .record({
    name: fc.constantFrom(
      'José Núñez',
      'Anna Annabelle',
      'Dr. Li',
      '李小龍',
      "O'Brien",
      'Ann-Marie von und zu Weißenfels',
    ),
    local: fc.constantFrom('jose.nunez', 'abc', 'ann@marie', 'LI_81'),
    around: fc.tuple(fc.string({ maxLength: 12, unit: 'grapheme' }), fc.string({ maxLength: 12 })),
    part: fc.nat({ max: 8 }),
    isLoud: fc.boolean(),
  })
  .map(({ name, local, around: [before, after], part, isLoud }) => {
    const email = `${local}@example.org`;
    const parts = [...name.split(/[\s-]+/), name, name.replaceAll(/\W/g, ''), local, email, ''];
    const password = `${before}${parts[part % parts.length]}${after}`;
    return { person: { name, email }, password: isLoud ? password.toUpperCase() : password };
  });

test('the pages for people call the same passwords personal as the gateway', () => {
  fc.assert(
    fc.property(aCase, ({ password, person }) => {
      expect(isPersonal(password, person)).toBe(isPersonalPassword(password, person));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['12345678', 1],
  ['zyxwvutsrqponm', 1],
  ['k3#vTq8w', 2],
  ['k3#vTq8w-pZ4', 3],
  ['seven green lanterns', 4],
])('the advice on %s has level %i', (password, level) => {
  expect(adviceOn(password, NOBODY, new Set(), 8)?.level).toBe(level);
});

test('the advice counts characters and bytes as the gateway does', () => {
  expect(adviceOn('', NOBODY, new Set(), 8)).toBeUndefined();
  expect(adviceOn('🐙🦀🐠🐡🐬🦑🐚', NOBODY, new Set(), 8)).toMatchObject({ name: 'short', limit: 1 });
  expect(adviceOn('🐙🦀🐠🐡🐬🦑🐚🐋🦐', NOBODY, new Set(), 8)?.level).toBe(2);
  expect(adviceOn('🐙🦀'.repeat(9), NOBODY, new Set(), 8)?.level).toBe(4);
  expect(adviceOn(`${'🐙🦀'.repeat(9)}x`, NOBODY, new Set(), 8)?.name).toBe('long');
});
