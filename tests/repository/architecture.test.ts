import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The rooms of `src` in groups, the highest first, as docs/architecture.md, "Direction of imports" draws them. */
function groupsOfRooms(): string[][] {
  const text = readFileSync('docs/architecture.md', 'utf8');
  const [, drawing = ''] = /## Direction of imports\n\n```\n(.*)\n```/.exec(text) ?? [];
  return drawing.split(' -> ').map((group) => group.split(', '));
}

/** The first step below `src`: a folder, or `main` for `src/main.ts`. */
const roomOf = (file: string): string =>
  path.relative('src', file).replace(/\.ts$/, '').split(path.sep)[0] ?? '';

/** Every source file of the gateway. Git leaves empty folders behind: they are no rooms. */
const sources = (): string[] =>
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join('src', name));

/** Every import from one room of `src` to another. */
function importsBetweenRooms(): { file: string; from: string; to: string }[] {
  return sources().flatMap((file) => {
    const targets = readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g);
    return [...targets]
      .map(([, target = '']) => roomOf(path.join(path.dirname(file), target)))
      .map((to) => ({ file, from: roomOf(file), to }))
      .filter(({ from, to }) => from !== to);
  });
}

test('docs/architecture.md has every folder of src in its drawing and in its table', () => {
  const rooms = [...new Set(sources().map(roomOf))];
  expect(groupsOfRooms().flat().sort()).toEqual(rooms.sort());
  const table = readFileSync('docs/architecture.md', 'utf8');
  const names = rooms.map((room) => (room === 'main' ? 'main.ts' : room));
  expect(names.filter((name) => !table.includes(`| \`src/${name}\` `))).toEqual([]);
});

test('a room of src imports only from the rooms below it', () => {
  const groups = groupsOfRooms();
  const heightOf = (room: string) => -groups.findIndex((group) => group.includes(room));
  const imports = importsBetweenRooms();
  expect(imports.length).toBeGreaterThan(200);
  const upwards = imports.filter(({ from, to }) => heightOf(to) >= heightOf(from));
  expect(upwards.map(({ file, to }) => `${file} -> ${to}`)).toEqual([]);
});
