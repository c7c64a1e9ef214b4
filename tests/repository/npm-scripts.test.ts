import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const MANIFESTS = execFileSync('git', ['ls-files', '*package.json', 'package.json'], { encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);

/** Programs that every system has, and those of the packages that a project installs. Others are missing on Windows. */
const PROGRAMS = /^(node|npm|npx|tsc|tsgo|jest|biome|vite|graphql-codegen|playwright) /;

/** npm runs scripts with cmd.exe on Windows, which has no single quotes, variables, `;`, pipes of POSIX programs and such. */
function problemOf(script: string): string | undefined {
  if (/['`$;|<>\\*]/.test(script)) {
    return 'has signs that only a POSIX shell understands';
  }
  const commands = script.split('&&').map((command) => `${command.trim()} `);
  return commands.every((command) => PROGRAMS.test(command)) ? undefined : 'runs a program of POSIX systems';
}

test('every npm script runs on Windows', () => {
  const problems = MANIFESTS.flatMap((manifest) => {
    const { scripts = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      scripts?: Record<string, string>;
    };
    return Object.entries(scripts).map(([name, script]) => [manifest, name, problemOf(script)]);
  }).filter(([, , problem]) => problem !== undefined);
  expect(problems).toEqual([]);
});

test.each([
  "NODE_OPTIONS='--experimental-vm-modules' jest",
  'NODE_ENV=test jest',
  'tsc --build && echo 1 > dist/one',
  'rm -rf dist',
  'tsc; jest',
  'node $npm_package_main',
])('a script like %j is found', (script) => {
  expect(problemOf(script)).toBeDefined();
});
