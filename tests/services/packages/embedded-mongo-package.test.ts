import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../support/consumer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PACKAGE = path.join(ROOT, 'packages/embedded-mongo');
/** npm fetches some thirty packages, from its cache if it can. */
const INSTALL_MILLIS = 300_000;

/** An empty project outside of this repository. The packed package is installed in it. */
const project = temporaryFolder();

/** Runs a program in the project and gives its output. */
async function run(program: string, ...args: string[]): Promise<string> {
  // Jest's options are for Jest only.
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(program, args, { cwd: project, env });
  return stdout;
}

/** The code of the README under a heading, word for word. */
function exampleUnder(heading: string): string {
  const readme = readFileSync(path.join(PACKAGE, 'README.md'), 'utf8');
  const [, section = ''] = readme.split(`\n## ${heading}\n`);
  const [, code] = /```js\n([\s\S]*?)```/.exec(section) ?? [];
  if (code === undefined) {
    throw new Error(`README.md has no example under "${heading}"`);
  }
  return code;
}

beforeAll(async () => {
  writeFileSync(path.join(project, 'package.json'), '{ "private": true, "type": "module" }');
  // The scripts would build again while other tests use the files.
  await run('npm', 'pack', PACKAGE, '--ignore-scripts', '--silent');
  const [tarball] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
  await run('npm', 'install', ...options, `./${tarball}`, 'mongodb@7', 'mongoose@9');
}, INSTALL_MILLIS);

test.each(['With the driver', 'With Mongoose'])(
  'the example "%s" runs in another project',
  async (heading) => {
    const code = exampleUnder(heading);
    expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
    writeFileSync(path.join(project, 'example.js'), code);
    expect(await run('node', 'example.js')).toMatch(
      /_id: new ObjectId\('\w+'\),\s+name: 'Ada',\s+born: 1815/,
    );
  },
);

test('the package has its entry points, README and licence, and neither sources nor tests', async () => {
  const folder = path.join(project, 'node_modules/@auth-gateway/embedded-mongo');
  expect(readdirSync(folder).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  const files = readdirSync(path.join(folder, 'dist'), { recursive: true }).map(String);
  expect(files.filter((name) => /\.(map|tsbuildinfo)$|\.test\./.test(name))).toEqual([]);
  const script = `
    for (const entry of ['', '/tools', '/wire']) {
      console.log(Object.keys(await import('@auth-gateway/embedded-mongo' + entry)).join());
    }`;
  expect((await run('node', '--input-type=module', '--eval', script)).trim().split('\n')).toEqual([
    'EmbeddedMongoLockedError,startEmbeddedMongo',
    'PARTIAL_MARK,backupDataFolder,importInto,openDataFolder,readManifest,restoreBackup,runCommandLine',
    'MessageReader,parseMessage,writeReply',
  ]);
});

test('the package installs the command embedded-mongo', async () => {
  const command = path.join(project, 'node_modules/.bin/embedded-mongo');
  await expect(run(command, 'verify', '--path', 'nowhere')).rejects.toMatchObject({
    code: 1,
    stderr: 'There is no embedded database in nowhere.\n',
  });
  await expect(run(command)).rejects.toMatchObject({ code: 2 });
});
