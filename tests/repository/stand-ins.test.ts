import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isPhoneNumber } from 'class-validator';

const SOURCES = execFileSync('git', ['ls-files', 'src'], { encoding: 'utf8' }).trim().split('\n');

test('no input validates phone numbers: class-validator would refuse every one', () => {
  expect(isPhoneNumber('+49 30 901820')).toBe(false);
  const { parsePhoneNumber } = createRequire(import.meta.url)('libphonenumber-js/max');
  expect(() => parsePhoneNumber('+49 30 901820')).toThrow('stand-ins/libphonenumber-js');
  const users = SOURCES.filter((file) => /isPhoneNumber/i.test(readFileSync(file, 'utf8')));
  expect(users).toEqual([]);
});

test('no program of Node.js draws PDFs: pdfjs-dist would not find its canvas', () => {
  expect(() => createRequire(import.meta.url)('@napi-rs/canvas')).toThrow('stand-ins/napi-canvas');
  expect(SOURCES.filter((file) => readFileSync(file, 'utf8').includes('pdfjs-dist'))).toEqual([]);
});
