import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exportAll, type OnProgress } from './export.ts';
import { startEmbeddedMongo } from './index.ts';
import { Catalog } from './storage/catalog.ts';
import { Store } from './storage/store.ts';
import { verifyStore } from './verify.ts';

const USAGE = `usage: cli.js <serve | verify | export> [--path .data] [--port 27017] [--out export]
  serve   runs the database alone until it is told to stop
  verify  checks index entries against documents; ends with status 1 when they disagree
  export  writes every collection as Extended JSON for mongoimport, and the indexes for mongosh
`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function serve(path: string, port: number): Promise<void> {
  const engine = await startEmbeddedMongo({ path, port });
  print(`embedded database in ${path}: ${engine.uri}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void engine.stop());
}

/** Opens a database that exists: a mistyped path is an error, not a new database. */
function openExisting(path: string): Store {
  if (!existsSync(join(path, 'data.mdb'))) throw new Error(`There is no embedded database in ${path}.`);
  return Store.open(path);
}

async function verify(path: string): Promise<void> {
  const store = openExisting(path);
  const { collections, documents, entries, problems } = verifyStore(new Catalog(store));
  await store.close();
  for (const problem of problems) print(problem);
  print(
    `${collections} collections, ${documents} documents, ${entries} index entries, ${problems.length} problems`,
  );
  if (problems.length > 0) process.exitCode = 1;
}

async function exportTo(path: string, folder: string): Promise<void> {
  const store = openExisting(path);
  const files = await exportAll(new Catalog(store), folder, progressBar());
  await store.close();
  print(files.join('\n'));
}

/** A bar on a terminal, nothing where the output is read by a program. */
function progressBar(): OnProgress {
  if (!process.stdout.isTTY) return () => {};
  let shown = -1;
  return (done, total) => {
    const percent = Math.floor((done / total) * 100);
    if (percent === shown) return;
    shown = percent;
    const bar = '#'.repeat(percent / 4).padEnd(25);
    process.stdout.write(`\r[${bar}] ${percent}% of ${total} documents${percent === 100 ? '\n' : ''}`);
  };
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      path: { type: 'string', default: '.data' },
      port: { type: 'string', default: '27017' },
      out: { type: 'string', default: 'export' },
    },
  });
  const [command] = positionals;
  if (command === 'serve') return serve(values.path, Number(values.port));
  if (command === 'verify') return verify(values.path);
  if (command === 'export') return exportTo(values.path, values.out);
  print(USAGE);
  process.exitCode = 2;
}

await main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
