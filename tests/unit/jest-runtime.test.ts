import { createRequire } from 'node:module';
import { BSON } from 'mongodb';
import mongoose from 'mongoose';

const require = createRequire(import.meta.url);

test('import and require give the same package', () => {
  expect(require('mongoose') === mongoose).toBe(true);
});

test('what packages make has the built-in classes of the tests', () => {
  expect(BSON.EJSON.parse('{"list":[1]}').list).toBeInstanceOf(Array);
  expect(require('mongoose/package.json')).toBeInstanceOf(Object);
});

test('a package that is not installed is an error with its name', () => {
  expect(() => require('no-such-package')).toThrow("Cannot find module 'no-such-package'");
});
