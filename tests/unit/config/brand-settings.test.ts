import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../../src/config/config.ts';
import { BRAND, brandFolder, brandSetting, png } from '../../support/brand.ts';
import { problemsOf, problemsOfFile } from '../../support/config-problems.ts';
import { mailSettings } from '../../support/reset-codes.ts';

const MAIL = { ...mailSettings('smtp://127.0.0.1'), MAIL_FROM: 'clinic@example.org' };

const problemsIn = (brand: unknown) => problemsOfFile('BRAND_FILE', brandSetting(brand));

test('a brand file is read whole, with the picture beside it', () => {
  expect(readConfig(brandSetting()).brand).toEqual({ ...BRAND, picture: png() });
  expect(readConfig(brandSetting({ name: 'Praxis' })).brand).toEqual({ name: 'Praxis' });
  expect(readConfig({}).brand).toBeUndefined();
});

test('the name is the default of the sender, of the name in apps, and of the name for passkeys', () => {
  const passkeys = { PASSKEY_RP_ID: 'example.org' };
  const named = readConfig({ ...MAIL, ...passkeys, ...brandSetting() });
  expect(named.mail?.from).toEqual({ name: BRAND.name, address: 'clinic@example.org' });
  expect(named.passkeys?.name).toBe(BRAND.name);
  expect(named.twoFactor.issuer).toBe(BRAND.name.replace(':', ' '));
  const own = { MAIL_FROM: 'Own <clinic@example.org>', TWO_FACTOR_ISSUER: 'Own', PASSKEY_NAME: 'Own' };
  const other = readConfig({ ...MAIL, ...passkeys, ...brandSetting(), ...own });
  const names = [other.mail?.from.name, other.passkeys?.name, other.twoFactor.issuer];
  expect(names).toEqual(['Own', 'Own', 'Own']);
});

const NO_ADDRESS = 'must be an https address of up to 255 ASCII characters, without a user';
const NO_CONTACT = 'must be an e-mail address or a telephone number';

test.each([
  [
    'name',
    ['', '  ', 'a\nb', 'a\u202eb', 'x'.repeat(65), 7, null],
    'must be one line of up to 64 characters',
  ],
  ['contact', ['', 'us', 'a@b\r\nc', '12', '+49 30 x', 'javascript:1'], NO_CONTACT],
  ['imprint', ['http://a.example', 'javascript:alert(1)', 'https://a.example/ x'], NO_ADDRESS],
  ['imprint', ['https://me@a.example', 'https://me:1@a.example/', 'https://'], NO_ADDRESS],
  ['privacy', ['https://a.example/"x', 'https://a.example/\n'], NO_ADDRESS],
  ['privacy', [`https://a.example/${'x'.repeat(255)}`], NO_ADDRESS],
  ['accent', ['red', '#fff', '#12345g', '#123456;', 123456], 'must be a colour such as #0b6e69'],
  ['picture', ['', 1], 'must be the path of a PNG file'],
])('a wrong %s is refused with the file and the key', (key, values, problem) => {
  for (const value of values) {
    expect(problemsIn({ ...BRAND, [key]: value })).toEqual([`key "${key}" ${problem}.`]);
  }
});

test('an unknown key, a missing name and what is no JSON object are refused', () => {
  expect(problemsIn({ ...BRAND, colour: '#fff', css: 'x' })).toEqual([
    'key "colour" is unknown.',
    'key "css" is unknown.',
  ]);
  expect(problemsIn('{"__proto__": {"name": "Praxis"}}')).toEqual([
    'key "__proto__" is unknown.',
    'key "name" must be one line of up to 64 characters.',
  ]);
  expect(problemsIn([BRAND])).toEqual(['must have one JSON object.']);
  // The setting may name a file with a secret.
  expect(problemsIn('{\n "name": hunter2 }')).toEqual(['is not JSON.']);
  expect(problemsIn('{\n "name": "hunter2" "x": 1}')).toEqual(['is not JSON (line 2).']);
});

test('a file that cannot be read is refused, and a pipe is not opened', () => {
  const file = path.join(brandFolder, 'none.json');
  expect(problemsOf({ BRAND_FILE: file })).toEqual([
    `BRAND_FILE: ${file}: cannot be read (ENOENT: no such file or directory).`,
  ]);
  expect(problemsIn(JSON.stringify(BRAND).padEnd(65_537))).toEqual(['is larger than 64 KiB.']);
  const pipe = path.join(brandFolder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(problemsOf({ BRAND_FILE: pipe })).toEqual([
    `BRAND_FILE: ${pipe}: is not a file but a folder, pipe or device.`,
  ]);
});

const NO_PNG = 'is not a PNG of up to 2048 × 2048 pixels';

test.each<[what: string, content: Buffer, problem: string]>([
  ['a JPEG', Buffer.from('ffd8ffe0', 'hex'), NO_PNG],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), NO_PNG],
  ['an empty file', Buffer.alloc(0), NO_PNG],
  ['a PNG that is cut off', png().subarray(0, -1), NO_PNG],
  ['a PNG with something after it', Buffer.concat([png(), Buffer.from('<script>')]), NO_PNG],
  ['a PNG of 4 gigapixels', png(65_535, 65_535), NO_PNG],
  ['a PNG without a header', Buffer.concat([png().subarray(0, 8), png().subarray(33)]), NO_PNG],
  ['a large file', Buffer.concat([png(), Buffer.alloc(65_536)]), 'is larger than 64 KiB'],
])('%s is refused as the picture', (_, content, problem) => {
  const picture = path.join(brandFolder, 'other.png');
  writeFileSync(picture, content);
  expect(problemsIn({ ...BRAND, picture: 'other.png' })).toEqual([
    `key "picture" names ${picture}, which ${problem}.`,
  ]);
});
