import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT, runIn } from '../support/consumer.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** All that is deleted when nobody moves from the legacy service any more. */
const MOVER = ['src/legacy/', 'tests/legacy/', 'bench/rows/legacy-import.js'];

/** The row of src/commands.ts, the only place that imports it. */
const ROW = /^.*import\('\.\/legacy\/.*$/m;

/** The compiler checks the whole repository, which takes long on a busy machine. */
const CHECK_MILLIS = 600_000;

const folder = temporaryFolder();
/** Copies the repository without the mover, and links its packages. What a build remembers stays apart. */
async function copyWithoutMover(): Promise<void> {
  const listed = await runIn(ROOT, 'git', 'ls-files', '--cached', '--others', '--exclude-standard');
  const files = listed
    .trim()
    .split('\n')
    .filter((file) => existsSync(path.join(ROOT, file)));
  expect(files.filter((file) => file.startsWith('src/legacy/')).length).toBeGreaterThan(10);
  for (const file of files.filter((one) => !MOVER.some((place) => one.startsWith(place)))) {
    await cp(path.join(ROOT, file), path.join(folder, file), { recursive: true });
  }
  const commands = path.join(folder, 'src/commands.ts');
  const text = await readFile(commands, 'utf8');
  expect(text.split('\n').filter((line) => ROW.test(line))).toHaveLength(1);
  await writeFile(commands, text.replace(ROW, ''));
  await mkdir(path.join(folder, 'node_modules'));
  for (const name of await readdir(path.join(ROOT, 'node_modules'))) {
    if (name !== '.cache') {
      await symlink(path.join(ROOT, 'node_modules', name), path.join(folder, 'node_modules', name));
    }
  }
}

test(
  'the repository can be built and type-checked without the move from the legacy service',
  async () => {
    await copyWithoutMover();
    await runIn(folder, process.execPath, 'scripts/build.js', 'gateway');
    expect(existsSync(path.join(folder, 'dist/main.js'))).toBe(true);
    await runIn(folder, process.execPath, 'node_modules/typescript/bin/tsc');
  },
  CHECK_MILLIS,
);
