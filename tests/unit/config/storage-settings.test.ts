import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../../../src/config/config.ts';
import { keysOf, problemsOf } from '../../support/config-problems.ts';

const MONGODB_URI = 'mongodb://127.0.0.1/test';

describe('in memory', () => {
  const DATA_DIR = ':memory:';

  test('each gateway has a temporary folder of its own for documents, unless STORAGE_DIR is set', () => {
    const [one, other] = [readConfig({ DATA_DIR }), readConfig({ DATA_DIR })];
    expect(one).toMatchObject({ database: { kind: 'memory' }, isStorageTemporary: true });
    expect(path.dirname(one.storageDir)).toBe(tmpdir());
    expect(one.storageDir).not.toBe(other.storageDir);
    expect(readConfig({ DATA_DIR, STORAGE_DIR: 'kept' })).toMatchObject({
      database: { kind: 'memory' },
      storageDir: path.resolve('kept'),
      isStorageTemporary: false,
    });
  });

  test('a MONGODB_URI beside it is refused: one of the two is a mistake', () => {
    expect(problemsOf({ DATA_DIR, MONGODB_URI })).toEqual([
      'DATA_DIR must not be :memory: if MONGODB_URI is set.',
    ]);
  });
});

describe('backups', () => {
  test('without BACKUP_DIR none are made, and with it one a day, of which seven are kept', () => {
    expect(readConfig({}).backup).toBeUndefined();
    const dir = path.resolve('../backups');
    expect(readConfig({ BACKUP_DIR: '../backups' }).backup).toEqual({
      dir,
      everyMillis: 86_400_000,
      keep: 7,
    });
    const settings = { BACKUP_DIR: '/srv/backups', BACKUP_EVERY_HOURS: '1', BACKUP_KEEP: '48' };
    expect(readConfig(settings).backup).toEqual({ dir: '/srv/backups', everyMillis: 3_600_000, keep: 48 });
  });

  test('a BACKUP_DIR beside a MongoDB, or a database in memory, is refused', () => {
    const [beside = ''] = problemsOf({ BACKUP_DIR: '/srv/backups', MONGODB_URI });
    expect(beside).toMatch(/^BACKUP_DIR .*mongodump/);
    const [inMemory = ''] = problemsOf({ BACKUP_DIR: '/srv/backups', DATA_DIR: ':memory:' });
    expect(inMemory).toMatch(/^BACKUP_DIR .*:memory:.*mongodump/);
  });

  test.each([
    ['.data', { BACKUP_DIR: '.data' }],
    ['.data', { BACKUP_DIR: '.data/backups' }],
    ['.data', { BACKUP_DIR: '/srv/data/../data/backups', DATA_DIR: '/srv/data' }],
    ['storage', { BACKUP_DIR: 'storage/backups' }],
    ['storage', { BACKUP_DIR: '/srv/documents', STORAGE_DIR: '/srv/documents/' }],
  ])('backups inside of %s are refused: %j', (_folder, settings) => {
    expect(keysOf(problemsOf(settings))).toEqual(['BACKUP_DIR']);
  });

  test.each([
    { BACKUP_DIR: '.data-backups' },
    { BACKUP_DIR: '..data' },
    { BACKUP_DIR: '/srv', DATA_DIR: '/srv/data' },
  ])('backups beside or above the data are accepted: %j', (settings) => {
    expect(problemsOf(settings)).toEqual([]);
  });
});
