import { dayAt, endOfDay } from '../../../src/system/calendar.ts';

test.each([
  ['2026-05-31', 'UTC', '2026-06-01T00:00:00.000Z'],
  ['2026-05-31', 'Europe/Berlin', '2026-05-31T22:00:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  ['2026-10-25', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
  ['2028-02-28', 'America/New_York', '2028-02-29T05:00:00.000Z'],
  ['2026-01-01', 'Pacific/Kiritimati', '2026-01-01T10:00:00.000Z'],
  // The clocks are put forward at midnight: the next day begins at one.
  ['2023-09-30', 'America/Asuncion', '2023-10-01T04:00:00.000Z'],
  ['2024-04-25', 'Africa/Cairo', '2024-04-25T22:00:00.000Z'],
  // They are put back at midnight: the last hour of the day comes twice.
  ['2024-10-31', 'Africa/Cairo', '2024-10-31T22:00:00.000Z'],
  // They are put back at one: midnight comes twice, and the day has ended at the first.
  ['2026-10-31', 'America/Havana', '2026-11-01T04:00:00.000Z'],
  // There was no next day.
  ['2011-12-29', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
])('the day %s in %s ends at %s', (day, zone, end) => {
  expect(endOfDay(day, zone).toISOString()).toBe(end);
  expect(dayAt(Date.parse(end) - 1, zone)).toBe(day);
  expect(dayAt(Date.parse(end), zone) > day).toBe(true);
});
