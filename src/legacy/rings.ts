/** An account that is to have the e-mail that another one may hold. */
export interface Exchange {
  id: string;
  /** The key of the e-mail that it has; undefined if it is not stored yet. */
  held: string | undefined;
  /** The key of the e-mail that it is to have. */
  wanted: string;
}

/** The rings among accounts in which each is to have the e-mail of the next. No order of single changes lets them have it. */
export function ringsOf<T extends Exchange>(accounts: readonly T[]): T[][] {
  const holders = new Map(accounts.map((account) => [account.held, account]));
  const seen = new Set<string>();
  const rings: T[][] = [];
  for (const first of accounts) {
    const path: T[] = [];
    let next: T | undefined = first;
    while (next && !seen.has(next.id)) {
      seen.add(next.id);
      path.push(next);
      next = holders.get(next.wanted);
    }
    const start = next ? path.indexOf(next) : -1;
    if (start >= 0) {
      rings.push(path.slice(start));
    }
  }
  return rings;
}
