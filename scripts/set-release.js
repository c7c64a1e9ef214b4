import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/*
 * `npm version 1.2.3` runs this after it has changed package.json. It gives the same version to everything that tells one: the
 * packages and what they need of each other, the OpenAPI document, the image of Kubernetes, the commands in the documentation, and
 * the changelog.
 */
const list = (...patterns) =>
  execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const today = new Date().toISOString().slice(0, 10);
const changes = [
  [list('packages/*/package.json'), /(?<=^ {2}"version": ")[^"]+/m],
  [
    list('package.json', 'packages/*/package.json'),
    /(?<=^ {4}"(?:@auth-gateway\/[\w-]+|auth-gateway)": ")\d[^"]*/gm,
  ],
  [['schema/openapi.yaml'], /(?<=^ {2}version: ).*/m],
  [['deploy/kubernetes/kustomization.yaml'], /(?<=^ {4}newTag: ).*/m],
  [list('*.md'), /(?<=auth-gateway-(?:client|guard|testing|embedded-mongo)-)\d[\w.-]*(?=\.tgz)/g],
];
for (const [files, place] of changes) {
  for (const file of files) {
    writeFileSync(file, readFileSync(file, 'utf8').replace(place, version));
  }
}
const heading = '## [Unreleased]\n';
const changelog = readFileSync('CHANGELOG.md', 'utf8');
writeFileSync('CHANGELOG.md', changelog.replace(heading, `${heading}\n## [${version}] - ${today}\n`));
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
execFileSync('git', ['add', '--update']);
