import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** The options of an installation that takes what it can from npm's cache. */
const INSTALL_OPTIONS = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--silent'];

/**
 * Runs a program to its end.
 * @returns its standard output
 * @throws if it fails, with all that it has written
 */
export async function runIn(folder: string, program: string, ...args: string[]): Promise<string> {
  // The options of Jest's process are not for this program.
  const env = { ...process.env, NODE_OPTIONS: '' };
  const running = promisify(execFile)(program, args, { cwd: folder, env });
  const { stdout } = await running.catch(({ message, stdout }: { message: string; stdout: string }) => {
    throw new Error(`${message}\n${stdout}`);
  });
  return stdout;
}

/** A packed package. */
export interface Tarball {
  file: string;
  /** The paths of its files, from the root of the package. */
  contents: string[];
}

/**
 * Packs built packages.
 * @param into the folder for the tarballs
 * @param packages folders, from the root of the repository
 */
export async function pack(into: string, ...packages: string[]): Promise<Tarball[]> {
  const folders = packages.map((folder) => path.join(ROOT, folder));
  // Without scripts: they would build again what other tests are using.
  const output = await runIn(into, 'npm', 'pack', '--json', '--ignore-scripts', ...folders);
  const packed: { filename: string; files: { path: string }[] }[] = JSON.parse(output);
  return packed.map(({ filename, files }) => ({
    file: path.join(into, filename),
    contents: files.map((file) => file.path),
  }));
}

/** Installs the dependencies of the project in a folder, and tarballs beside them. */
export async function install(folder: string, ...words: string[]): Promise<void> {
  await runIn(folder, 'npm', 'install', ...INSTALL_OPTIONS, ...words);
}

/** True if the newest packages are to be tested, which a scheduled workflow asks for. */
export const WITH_NEWEST = process.env.RECIPES === 'newest';

/**
 * The packages that a recipe says it was built with, as `name@version`. Nuxt chooses its h3.
 */
export async function builtWith(document: string): Promise<string[]> {
  const text = await readFile(path.join(ROOT, document), 'utf8');
  const [, list = ''] = /^Built with (.*)\.$/m.exec(text) ?? [];
  const packages = [...list.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  if (packages.length === 0) {
    throw new Error(`${document} does not say what it was built with`);
  }
  return WITH_NEWEST ? packages.map((name) => name.replace(/^(?!h3@)(.+)@.*$/, '$1@latest')) : packages;
}
