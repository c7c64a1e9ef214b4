import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { runCrashTest } from '../../packages/embedded-mongo/bench/crash-run.js';

const DIST = new URL('../../packages/embedded-mongo/dist/', import.meta.url);

test('the embedded engine loses no acknowledged write when its process is killed or the power fails', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'embedded-mongo-test-'));
  try {
    const summary = await runCrashTest({ path: folder, kills: 5 });
    expect(summary).toMatchObject({ kills: 5, lost: 0, problems: [] });
    expect(summary.acknowledged).toBeGreaterThan(0);
  } finally {
    await rm(folder, { recursive: true });
  }
}, 180_000);

test('the embedded engine stops after a commit that failed on a full disk', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'embedded-mongo-test-'));
  // One write beyond all the room that the engine keeps, in a process whose files cannot grow any more.
  const script = `
    import { execFileSync } from 'node:child_process';
    import { Store } from '${new URL('storage/store.js', DIST).href}';
    process.on('unhandledRejection', () => {});
    const store = Store.open(${JSON.stringify(folder)});
    execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=2097152:']);
    const document = Buffer.alloc(8 * 1024 * 1024);
    await store.write(() => store.documents.putSync(Buffer.alloc(10), document)).catch((error) => console.log(error.codeName));
    await store.close();
    console.log('closed');`;
  const child = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    timeout: 20_000,
  });
  expect((await child).stdout).toBe('OutOfDiskSpace\nclosed\n');
  await rm(folder, { recursive: true });
}, 60_000);
