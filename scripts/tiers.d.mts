export interface Tier {
  script: string;
  hasSecondTry: boolean;
  /** Another version of Node.js to run it on. */
  node?: string;
  /** By how much its database answers late. */
  databaseDelayMillis?: number;
  /** The folders to run, if not all. */
  only?: string[];
}

/** What is read of Jest's report. */
export interface Report {
  testResults: {
    name: string;
    status: string;
    /** In milliseconds since 1970. */
    startTime: number;
    endTime: number;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

export const TIERS: readonly Tier[];
export function timesOf(tier: Tier, millis: number, report: Report): string;
export function runTiers(
  tiers: readonly Tier[],
  run: (tier: Tier, file?: string) => Promise<{ code: number | null; report: Report | undefined }>,
  say: (line: string) => void,
): Promise<{ passed: number; failed: number }>;
