/**
 * When the support of each major version ends, security fixes included. By https://github.com/nodejs/Release (schedule.json),
 * as of November 2026.
 */
const SUPPORT_ENDS: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
};

/** The last day of support of a major version; undefined if the table does not have it. */
export const supportEndOf = (major: number): string | undefined => SUPPORT_ENDS[major];

/** `engines` of package.json. */
export const OLDEST_NODE = { major: 20, minor: 19 };
