import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEFAULT_POLICY } from '../../src/legacy/records/legacy-record.ts';
import { PROFILES } from '../../src/legacy/records/profile-kind.ts';
import { readTables } from '../../src/legacy/source/legacy-tables.ts';
import { timeReader } from '../../src/legacy/source/legacy-time.ts';

const NOW = new Date('2027-01-15T12:00:00Z');

/** What an import makes of a profile. @param end the values that a mapping adds */
const convert = (end: Record<string, string | null>, doctors: 'pending' | 'verified' = 'verified') => {
  const values = {
    ...{ specialization: 'Cardiology', license_number: 'MD-1', created_at: '2024-02-29 12:00:00' },
    ...{ license_file_path: 'l.pdf', diploma_file_path: 'd.pdf', certification_file_path: null },
    ...end,
  };
  return PROFILES.convert(
    { key: '1', sum: '00000000', hasAccount: true, accountRole: 'doctor', values } as never,
    {
      ...{ readTime: timeReader('Europe/Berlin'), now: NOW, erased: new Set<string>() },
      policy: { ...DEFAULT_POLICY, doctors },
    },
  );
};

test.each([{}, { verified_until: null }, { verified_until: '0000-00-00' }])(
  'an imported verified doctor has no end with %j',
  (end) => {
    const { record } = convert(end);
    expect(record).toMatchObject({ verification: { status: 'verified' } });
    expect(record?.verification).not.toHaveProperty('until');
    expect(record).not.toHaveProperty('tellAt');
  },
);

test.each([
  ['2027-12-31', '2027-12-31T23:00:00.000Z', '2027-11-01T23:00:00.000Z'],
  ['2027-06-30 18:00:00', '2027-06-30T16:00:00.000Z', '2027-05-01T16:00:00.000Z'],
  // It is told at once.
  ['2027-01-20', '2027-01-20T23:00:00.000Z', NOW.toISOString()],
  ['2020-01-20', '2020-01-20T23:00:00.000Z', NOW.toISOString()],
])('the column that the mapping names ends a verification: %s', (verified_until, until, tellAt) => {
  const { record } = convert({ verified_until });
  expect(record).toMatchObject({ verification: { until: new Date(until) }, tellAt: new Date(tellAt) });
});

test('a doctor who is to be reviewed gets no end, and a text that is no time is not taken', () => {
  expect(convert({ verified_until: '2027-12-31' }, 'pending').record).not.toHaveProperty('verification');
  expect(convert({ verified_until: 'soon' })).toEqual({ reason: 'verified_until is no day and no time' });
});

test('a later sync changes neither the end nor what was told', () => {
  const { record, digest } = convert({ verified_until: '2027-12-31' });
  const later = convert({ verified_until: '2029-12-31' });
  expect(later.digest).toBe(digest);
  if (!record || !later.record) {
    throw new Error('not converted');
  }
  const stored = { ...record, tellAt: undefined };
  expect(PROFILES.changed(stored, later.record)).toMatchObject({
    verification: record.verification,
    tellAt: undefined,
  });
  expect(PROFILES.differingFields(stored, later.record)).toEqual([]);
});

test('only a mapping gives the column', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mapping-'));
  const read = async (mapping: object) => {
    const file = path.join(folder, 'map.json');
    await writeFile(file, JSON.stringify(mapping));
    return (await readTables(file)).profiles.columns;
  };
  expect(await read({})).not.toHaveProperty('verified_until');
  expect(await read({ profiles: { columns: { verified_until: 'license_valid_to' } } })).toMatchObject({
    verified_until: 'license_valid_to',
  });
  await expect(read({ accounts: { columns: { verified_until: 'x' } } })).rejects.toThrow('unknown entry');
});
