import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));

const { version } = manifestOf('.');
const packages = readdirSync('packages').map((name) => path.join('packages', name));

test.each(packages)('%s has the version of the gateway', (folder) => {
  expect(manifestOf(folder).version).toBe(version);
});

test.each(['.', ...packages])('%s needs the others in this version', (folder) => {
  const { dependencies, devDependencies, peerDependencies } = manifestOf(folder);
  const needed = Object.entries({ ...dependencies, ...devDependencies, ...peerDependencies });
  const own = needed.filter(([name]) => /^(@auth-gateway\/|auth-gateway$)/.test(name));
  expect(own.filter(([, wanted]) => wanted !== version)).toEqual([]);
});

test('the OpenAPI document and the changelog tell the version', () => {
  expect(/^ {2}version: (.*)$/m.exec(readFileSync('schema/openapi.yaml', 'utf8'))?.[1]).toBe(version);
  expect(/^## \[(\d.*)\]/m.exec(readFileSync('CHANGELOG.md', 'utf8'))?.[1]).toBe(version);
});
