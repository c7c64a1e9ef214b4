export interface CrashSummary {
  kills: number;
  acknowledged: number;
  lost: number;
  problems: string[];
}

export function runCrashTest(options: {
  path: string;
  kills: number;
  onRound?: (round: number, summary: CrashSummary) => void;
}): Promise<CrashSummary>;
