import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as graphql from 'graphql';
import { BSON } from 'mongodb';
import mongoose from 'mongoose';
import { ServiceError } from '../../src/system/errors.ts';
import { testClock } from '../support/test-app.ts';

const require = createRequire(import.meta.url);

test('import and require give the same package', () => {
  expect(require('mongoose') === mongoose).toBe(true);
  expect(graphql.GraphQLError).toBe(require('graphql').GraphQLError);
});

test('what packages and Node.js make has the built-in classes of the tests', async () => {
  expect(BSON.EJSON.parse('{"list":[1]}').list).toBeInstanceOf(Array);
  expect(require('mongoose/package.json')).toBeInstanceOf(Object);
  await expect(readFile('no-such-file')).rejects.toBeInstanceOf(Error);
});

test('a source is the module that is built from it', async () => {
  const built = await import('../../dist/system/errors.js' as string);
  expect(built.ServiceError).toBe(ServiceError);
});

test('a helper of the tests is one module in a test file', async () => {
  expect((await import('../support/test-app.ts')).testClock).toBe(testClock);
});

test('a package that is not installed is an error with its name', async () => {
  expect(() => require('no-such-package')).toThrow("Cannot find module 'no-such-package'");
  await expect(import('no-such-package' as string)).rejects.toThrow('no-such-package');
});

test('a source that is not there is an error with its name', async () => {
  await expect(import('../../src/no-such-source.ts' as string)).rejects.toThrow('no-such-source.ts');
});

test('the end of a test file ends the context that its runner has kept for each of its promises', async () => {
  const { RunnerModules } = require('../support/jest-runtime.cjs');
  const modules = new RunnerModules(() => '');
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-runner-'));
  const file = path.join(folder, 'runner.js');
  await writeFile(file, "module.exports = new (require('node:async_hooks').AsyncLocalStorage)();");
  const storage = modules.load(file);
  await rm(folder, { recursive: true });
  storage.run('this file', () => {
    expect(storage.getStore()).toBe('this file');
    modules.disableStorages();
    expect(storage.getStore()).toBeUndefined();
  });
});

test('Jest has an exact version, because the tests override its private methods', () => {
  const { devDependencies } = require('../../package.json') as { devDependencies: Record<string, string> };
  const versions = ['jest', 'jest-runtime', 'jest-environment-node', '@jest/globals'].map(
    (name) => devDependencies[name],
  );
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version ?? ''))).toEqual([]);
});
