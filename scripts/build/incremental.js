import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fingerprint, listFiles } from './fingerprint.js';
import { withLock } from './lock.js';
import { removeOrphans } from './orphans.js';

/** Where a build remembers what it was made of. */
const CACHE = 'node_modules/.cache/build';

/** The packages that the compilers read. npm writes this file with every change of them. */
const PACKAGES = ['node_modules/.package-lock.json'];

/**
 * Builds those targets that are not up to date, at the same time. Only one process builds: another one waits, and then builds
 * what is left.
 *
 * A target is up to date if its inputs and its outputs are as its last build left them. The mark of a build is removed before
 * a build begins, and written when it has ended, so after a kill everything is built again.
 * @param root the folder that all paths are relative to
 * @param targets by name, in the order of their needs:
 *   - `title` for people
 *   - `inputs`, `outputs`: files and folders; `ignored`: folders among them that belong to others
 *   - `commands`: each the file of a tool, and its words
 *   - `after`: the target that has to be built before
 *   - `compiled`: folders of sources, each with the folder of what the compiler makes of them
 *   - `forget`: what a compiler remembers, removed if somebody else has changed its outputs
 *   - `files`: texts to write into the outputs
 * @param say called with a line for people
 * @returns false if a build has failed; `say` or the compiler has said why
 */
export async function build(root, targets, say) {
  const waiting = Object.entries(targets).filter(([name, target]) => !isCurrent(root, name, target));
  if (waiting.length === 0) {
    return true;
  }
  const onWait = (pid) => say(`Waiting for another build${pid === undefined ? '' : ` (process ${pid})`}.`);
  try {
    return await withLock(path.join(root, CACHE, 'lock'), () => buildStale(root, waiting, say), onWait);
  } catch (error) {
    if (error.syscall === undefined) {
      throw error;
    }
    // Such as a folder of somebody else, or a full disk. The path is in the text, and the stack helps nobody.
    say(`The build has failed: ${error.message}`);
    return false;
  }
}

async function buildStale(root, waiting, say) {
  // Another process may have built them meanwhile.
  const stale = waiting.filter(([name, target]) => !isCurrent(root, name, target));
  if (stale.length === 0) {
    return true;
  }
  const missing = stale
    .flatMap(([, { commands }]) => commands)
    .find(([tool]) => !existsSync(path.join(root, tool)));
  if (missing) {
    say(`${missing[0]} is missing. Run npm install, with the development packages.`);
    return false;
  }
  const titles = stale.map(([, { title }]) => title);
  say(`Building ${titles.join(', ').replace(/, ([^,]*)$/, ' and $1')} …`);
  const builds = new Map();
  for (const [name, target] of stale) {
    // Those that it needs come before it in the table.
    builds.set(name, buildOne(root, name, target, builds.get(target.after)));
  }
  return (await Promise.all(builds.values())).every(Boolean);
}

/** @param before the build that has to end first, if it is running */
async function buildOne(root, name, target, before) {
  if ((await before) === false) {
    return false;
  }
  const { sources, packages } = inputsOf(root, target);
  // What somebody else has changed in the outputs, the compiler would not notice.
  const isIntact = read(root, name)?.outputs === outputsOf(root, target);
  rmSync(markOf(root, name), { force: true });
  if (!isIntact) {
    for (const file of target.forget ?? []) {
      rmSync(path.join(root, file), { force: true });
    }
  }
  let isDone = true;
  for (const [tool, ...words] of target.commands) {
    isDone &&= await run(root, tool, words);
  }
  removeOrphans(root, target);
  for (const [file, text] of Object.entries(target.files ?? {})) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  // The inputs are those from before the build: what has changed meanwhile is built the next time.
  write(root, name, { ...(isDone ? { sources, packages } : {}), outputs: outputsOf(root, target) });
  return isDone;
}

/** Runs a tool in a process of its own. All its output goes to standard error: the output of a command is for programs. */
async function run(root, tool, words) {
  const child = spawn(process.execPath, [path.join(root, tool), ...words], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const [code] = await once(child, 'close');
  return code === 0;
}

/** Without its tools, as in an installation for production, a target is current if its sources are those of its build. */
function isCurrent(root, name, target) {
  const mark = read(root, name);
  if (mark?.sources === undefined) {
    return false;
  }
  const { sources, packages } = inputsOf(root, target);
  const hasTools = target.commands.every(([tool]) => existsSync(path.join(root, tool)));
  return (
    mark.sources === sources &&
    (mark.packages === packages || !hasTools) &&
    mark.outputs === outputsOf(root, target)
  );
}

function inputsOf(root, { inputs, commands }) {
  // Another command makes another output.
  const sources = `${fingerprint(root, listFiles(root, inputs))} ${JSON.stringify(commands)}`;
  return { sources, packages: fingerprint(root, PACKAGES) };
}

function outputsOf(root, { outputs, ignored }) {
  // Nothing that runs needs the source maps, and they are a third of the files.
  const files = listFiles(root, outputs, ignored).filter((file) => !file.endsWith('.map'));
  return fingerprint(root, files);
}

const markOf = (root, name) => path.join(root, CACHE, `${name}.json`);

/** The mark of the last build; undefined without one. */
function read(root, name) {
  try {
    return JSON.parse(readFileSync(markOf(root, name), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Renamed into place, so that a mark is whole or missing. */
function write(root, name, mark) {
  const file = markOf(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(mark));
  renameSync(`${file}.new`, file);
}
