#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { startEmbeddedMongo } from './index.ts';
import { openDataFolder } from './tools/data-folder.ts';
import type { OnProgress } from './tools/export.ts';

const USAGE = `usage: embedded-mongo <serve | verify | export> [--path .data] [--port 27017] [--out export]
  serve   runs the database until SIGINT or SIGTERM
  verify  compares index entries with documents; exits with 1 if they disagree
  export  writes every collection as Extended JSON for mongoimport, and the indexes for mongosh
`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function serve(path: string, port: number): Promise<void> {
  const engine = await startEmbeddedMongo({ path, port });
  print(`embedded database in ${path}: ${engine.uri}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void engine.stop());
  }
}

async function verify(path: string): Promise<void> {
  const data = openDataFolder(path);
  const { collections, documents, entries, problems } = data.verify();
  await data.close();
  for (const problem of problems) {
    print(problem);
  }
  print(
    `${collections} collections, ${documents} documents, ${entries} index entries, ${problems.length} problems`,
  );
  if (problems.length > 0) {
    process.exitCode = 1;
  }
}

async function exportTo(path: string, folder: string): Promise<void> {
  const data = openDataFolder(path);
  const files = await data.exportTo(folder, progressBar());
  await data.close();
  print(files.join('\n'));
}

/** A bar on a terminal; nothing if a program reads the output. */
function progressBar(): OnProgress {
  if (!process.stdout.isTTY) {
    return () => {};
  }
  let shown = -1;
  return (done, total) => {
    const percent = Math.floor((done / total) * 100);
    if (percent === shown) {
      return;
    }
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
  switch (command) {
    case 'serve':
      return serve(values.path, Number(values.port));
    case 'verify':
      return verify(values.path);
    case 'export':
      return exportTo(values.path, values.out);
    default:
      print(USAGE);
      process.exitCode = 2;
  }
}

await main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
