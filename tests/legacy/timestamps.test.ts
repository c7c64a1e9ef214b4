import { timeReader, timeWriter } from '../../src/legacy/source/legacy-time.ts';

test.each(['UTC', 'Europe/Berlin', 'America/New_York', '+05:30', '-03:00'])(
  'a time in %s is written as it is read',
  (zone) => {
    for (const text of ['2024-02-29 12:00:00', '2024-07-01 00:00:00', '1999-12-31 23:59:59']) {
      expect(timeWriter(zone)(timeReader(zone)(text))).toBe(text);
    }
  },
);

test('a time that the legacy database does not have is null', () => {
  expect([timeWriter('UTC')(null), timeWriter('UTC')(new Date(0))]).toEqual([null, null]);
});

test('an offset is the difference from UTC', () => {
  expect(timeReader('+05:30')('2024-02-29 12:00:00')).toEqual(new Date('2024-02-29T06:30:00Z'));
});
