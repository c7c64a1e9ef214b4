import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCrashTest } from '../../packages/embedded-mongo/bench/crash-run.js';

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
