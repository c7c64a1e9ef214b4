import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

/*
 * Makes the tarballs of a release.
 *   node scripts/release.js [--out FOLDER] [--publish]
 * Without --publish it is a dry run: the tarballs are in FOLDER (default: release), and nothing leaves this machine. Build before.
 * With --publish, the commit must have the tag of the version, and npm must run where it can prove the origin (provenance).
 */
const { values } = parseArgs({
  options: { out: { type: 'string', default: 'release' }, publish: { type: 'boolean', default: false } },
});
/** In this order, so that whatever needs another one finds it. */
const PACKAGES = ['packages/embedded-mongo', 'packages/client', 'packages/guard', 'packages/testing'];
/** What the package of the gateway keeps of the manifest of the repository. */
const KEPT = [
  ...['name', 'version', 'description', 'license', 'type', 'engines', 'bin', 'exports', 'files'],
  ...['dependencies', 'bundleDependencies', 'peerDependencies', 'peerDependenciesMeta'],
];

const run = (...words) => execFileSync(words[0], words.slice(1), { encoding: 'utf8' });
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const out = path.resolve(values.out);
if (values.publish) {
  refuseUnreleased();
}
mkdirSync(out, { recursive: true });
const tarballs = [...PACKAGES.map((folder) => pack(`./${folder}`)), packGateway()];
for (const { filename, size, entryCount } of tarballs) {
  process.stdout.write(`${filename}  ${Math.round(size / 1024)} KiB, ${entryCount} files\n`);
}
if (values.publish) {
  for (const { filename } of tarballs) {
    run('npm', 'publish', path.join(out, filename), '--provenance', '--access', 'public');
  }
} else {
  process.stdout.write(`Dry run: nothing was published. The tarballs are in ${out}\n`);
}

/** Nobody can say later from which source another state was made. */
function refuseUnreleased() {
  const isClean = run('git', 'status', '--porcelain') === '';
  const isTagged = run('git', 'tag', '--points-at', 'HEAD').split('\n').includes(`v${manifest.version}`);
  if (!isClean || !isTagged) {
    process.stderr.write(`Only a clean commit with the tag v${manifest.version} is published.\n`);
    process.exit(1);
  }
}

/** @returns what npm says of the tarball */
function pack(folder) {
  const [packed] = JSON.parse(
    run('npm', 'pack', folder, '--json', '--ignore-scripts', '--pack-destination', out),
  );
  return packed;
}

/** The gateway with the engine inside, and with a README for people who have only the package. */
function packGateway() {
  const stage = mkdtempSync(path.join(out, 'gateway-'));
  for (const folder of ['dist', 'schema']) {
    cpSync(folder, path.join(stage, folder), { recursive: true });
  }
  const engine = path.join(stage, 'node_modules/@auth-gateway/embedded-mongo');
  cpSync('packages/embedded-mongo', engine, {
    recursive: true,
    filter: (name) => !/^packages\/embedded-mongo\/(?!dist|package\.json|LICENSE|README\.md)./.test(name),
  });
  copyFileSync('LICENSE', path.join(stage, 'LICENSE'));
  copyFileSync('docs/npm.md', path.join(stage, 'README.md'));
  const kept = Object.fromEntries(KEPT.map((field) => [field, manifest[field]]));
  writeFileSync(path.join(stage, 'package.json'), `${JSON.stringify(kept, null, 2)}\n`);
  const packed = pack(stage);
  rmSync(stage, { recursive: true });
  return packed;
}
