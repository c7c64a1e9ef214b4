import mysql from 'mysql2/promise';
import { DISKS, type Disk } from '../../faults/support/disks.ts';
import { eventually } from '../../support/eventually.ts';
import { useTarget } from '../support/legacy-command.ts';
import { addFile } from '../support/legacy-service.ts';
import { addLegacyRows } from '../support/legacy-tables.mjs';

const target = useTarget({ isShared: true });
let disk: Disk;
beforeAll(async () => {
  await addLegacyRows(target.legacy.database.query, { accounts: 1000, tokens: 5000, firstId: 100_000 });
  // The small disk has no room for a large file.
  await addFile(target.legacy.filesDir, target.legacy.profiles.doctorWithLargeFile.license_file_path);
});
afterEach(() => disk.remove());

const everything = () => ['import', '--yes', '--admins', 'skip', '--files', target.legacy.filesDir];

/** Starts an import that has taken all accounts, and waits for the profiles until they are released. */
async function startUntilProfiles(settings: Record<string, string>) {
  const other = await mysql.createConnection(target.legacy.database.uri);
  await other.query('LOCK TABLES doctor_profiles WRITE');
  const running = target.start(settings, ...everything());
  await eventually(async () => {
    const states = await target.legacy.database.query<{ State: string }>('SHOW PROCESSLIST');
    expect(states.map(({ State }) => State)).toContain('Waiting for table metadata lock');
  });
  return { running, release: () => other.end() };
}

const PLACES = [
  {
    name: 'the documents',
    reason: /The file \S+ cannot be taken over: (?:ENOSPC|EFBIG)/,
    settingsOn: (folder: string) => ({ STORAGE_DIR: `${folder}/storage` }),
  },
  {
    name: 'the embedded database',
    reason: /The disk of the gateway's database is full\.|ENOSPC/,
    settingsOn: (folder: string) => ({ DATA_DIR: `${folder}/data`, MONGODB_URI: '' }),
  },
];

describe.each(DISKS)('with $name', ({ openDisk }) => {
  test.each(PLACES)(
    'an import ends with 1 when the disk of $name is full, and continues when there is room',
    async ({ reason, settingsOn }) => {
      disk = await openDisk();
      const settings = settingsOn(disk.folder);
      const { running, release } = await startUntilProfiles(settings);
      await disk.fill(running.pid);
      await release();
      expect(await running.exitCode()).toBe(1);
      expect(running.stderr).toMatch(reason);
      expect(running.stderr).toContain('Run the same command again to continue.');
      // The limit on the size of files has ended with the process.
      await disk.makeRoom(process.pid);
      const again = target.start(settings, ...everything());
      expect(await again.exitCode()).toBe(0);
      expect(again.stderr).toContain('Going on with the import');
      const verified = target.start(settings, 'verify', '--files', target.legacy.filesDir);
      expect(await verified.exitCode()).toBe(0);
    },
  );
});
