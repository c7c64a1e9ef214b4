/** How far a command is with one kind of rows. */
export interface ProgressState {
  kind: string;
  done: number;
  /** null if it is not known. */
  total: number | null;
  rowsPerSecond: number;
  /** null if it cannot be said. */
  secondsLeft: number | null;
}

const BAR_WIDTH = 25;

/** Measures the speed of a command with one kind of rows. */
export class Progress {
  /**
   * @param first what was done before it began
   * @param beganAt in milliseconds
   */
  constructor(
    readonly kind: string,
    private readonly first: number,
    private readonly beganAt: number,
  ) {}

  at(done: number, total: number | undefined, now: number): ProgressState {
    const seconds = (now - this.beganAt) / 1000;
    const rowsPerSecond = seconds > 0 ? Math.round((done - this.first) / seconds) : 0;
    const isKnown = total !== undefined && rowsPerSecond > 0;
    // Rows may have been added since they were counted.
    const secondsLeft = isKnown ? Math.max(0, Math.ceil((total - done) / rowsPerSecond)) : null;
    return { kind: this.kind, done, total: total ?? null, rowsPerSecond, secondsLeft };
  }

  /** A bar for a terminal; empty if the end is not known. */
  static bar({ done, total }: ProgressState): string {
    if (total === null || total === 0) {
      return '';
    }
    const share = Math.min(done / total, 1);
    return `[${'#'.repeat(Math.floor(share * BAR_WIDTH)).padEnd(BAR_WIDTH)}] ${Math.floor(share * 100)}%  `;
  }

  /** A line for people. */
  static text({ kind, done, total, rowsPerSecond, secondsLeft }: ProgressState): string {
    const parts = [
      `${kind} ${done}${total === null ? '' : ` of ${total}`}`,
      `${rowsPerSecond}/s`,
      ...(secondsLeft === null ? [] : [`${durationOf(secondsLeft)} left`]),
    ];
    return parts.join('  ');
  }
}

const pad = (value: number): string => String(value).padStart(2, '0');

/** A duration for people, such as `1:02:03` or `2:03`. */
export function durationOf(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}
