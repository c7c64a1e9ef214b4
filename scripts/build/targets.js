const TSC = 'node_modules/typescript/bin/tsc';
const VITE = 'node_modules/vite/bin/vite.js';

const ENGINE = 'packages/embedded-mongo';

/** The engine's thread starts with one file instead of 126: to find and read them takes longer than to compile them. */
const ENGINE_IN_ONE_FILE = [
  ...[VITE, 'build', ENGINE, '--ssr', 'src/worker.ts', '--outDir', 'dist', '--no-emptyOutDir'],
  ...['--target', 'node20', '--logLevel', 'warn'],
];

/** What decides how everything is built. */
const BASE = ['package.json', 'tsconfig.json', 'scripts/build'];

const sourcesOf = (folder) => ['src', 'package.json', 'tsconfig.json'].map((name) => `${folder}/${name}`);

/** Packages with a second build, for `require`. */
const OF_BOTH_KINDS = ['packages/client', 'packages/guard'];
const PROJECTS = [...OF_BOTH_KINDS, 'packages/testing'];
const SECOND_PROJECTS = OF_BOTH_KINDS.map((folder) => `${folder}/tsconfig.cjs.json`);

/** `build` describes the fields. No target writes into a folder of another one: they are built at the same time. */
const TARGETS = {
  gateway: {
    title: 'the gateway',
    inputs: [...BASE, 'tsconfig.build.json', 'src', ...sourcesOf(ENGINE)],
    outputs: ['dist', `${ENGINE}/dist`],
    ignored: ['dist/browser'],
    // Types are checked by `npm run check`: that takes eight times as long as to compile, and the first start waits for this.
    commands: [[TSC, '--build', 'tsconfig.build.json', '--noCheck'], ENGINE_IN_ONE_FILE],
    compiled: [
      ['src', 'dist'],
      [`${ENGINE}/src`, `${ENGINE}/dist`],
    ],
    forget: ['dist/.tsbuildinfo', `${ENGINE}/dist/.tsbuildinfo`],
  },
  pages: {
    title: 'the pages',
    inputs: [...BASE, 'pages', 'packages/client/src', 'docs/people', 'schema'],
    outputs: ['dist/browser'],
    commands: [
      [VITE, 'build', 'pages'],
      ['scripts/build/compress.js', 'dist/browser/assets'],
    ],
  },
  packages: {
    title: 'the packages',
    // The package for tests takes the types of the engine from its build.
    after: 'gateway',
    inputs: [...BASE, ...PROJECTS.flatMap(sourcesOf), ...SECOND_PROJECTS, ...sourcesOf(ENGINE)],
    outputs: PROJECTS.map((folder) => `${folder}/dist`),
    commands: [[TSC, '--build', ...PROJECTS, ...SECOND_PROJECTS]],
    compiled: [
      ...PROJECTS.map((folder) => [`${folder}/src`, `${folder}/dist`]),
      ...OF_BOTH_KINDS.map((folder) => [`${folder}/src`, `${folder}/dist/cjs`]),
    ],
    forget: [
      ...PROJECTS.map((folder) => `${folder}/dist/.tsbuildinfo`),
      ...OF_BOTH_KINDS.map((folder) => `${folder}/dist/cjs/.tsbuildinfo`),
    ],
    // Node.js takes the kind of a module from the nearest package.json.
    files: Object.fromEntries(
      OF_BOTH_KINDS.map((folder) => [`${folder}/dist/cjs/package.json`, '{"type":"commonjs"}\n']),
    ),
  },
};

/**
 * The targets with these names, and those that they need before, in the order of the table; all of them without names.
 * @throws Error that names the unknown one
 */
export function chooseTargets(names) {
  if (names.length === 0) {
    return TARGETS;
  }
  const unknown = names.find((name) => !Object.hasOwn(TARGETS, name));
  if (unknown !== undefined) {
    throw new Error(`There is no target ${unknown}. There are ${Object.keys(TARGETS).join(', ')}.`);
  }
  const needed = new Set([...names, ...names.map((name) => TARGETS[name].after)]);
  return Object.fromEntries(Object.entries(TARGETS).filter(([name]) => needed.has(name)));
}
