import type { BookedRow } from '../bookkeeping/booked-row.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { type BackState, chunks, notWritten } from './back-state.ts';
import { rowsThere } from './written-rows.ts';

/**
 * Treats rows whose records are not here any more. A token has ended: it is revoked there in any case, because that is the safe
 * side. An account is deleted only if it was erased here, with its profile and its tokens; a profile whose account has gone there
 * already, too. Nothing else is deleted.
 * @returns the keys of the rows that the legacy database does not have any more
 */
export async function removeThere(
  state: BackState,
  kind: Kind,
  missing: readonly BookedRow[],
): Promise<ReadonlySet<string>> {
  const gone = new Set<string>();
  const ids = missing.map(({ key }) => key);
  const erased =
    kind === 'tokens' || ids.length === 0 ? new Set() : await state.context.stores.erasures.ids(ids);
  for (const rows of chunks(missing)) {
    const there = await rowsThere(state, kind, rows);
    // The key of a profile is that of its account.
    const accountsThere = kind === 'profiles' ? await rowsThere(state, 'accounts', rows) : there;
    const reasonAgainst = ({ key, sum }: BookedRow) => {
      if (kind === 'tokens') {
        return undefined;
      }
      if (!erased.has(key)) {
        return 'it is not here, and no erasure says why; it stays there';
      }
      const isUnchanged = kind === 'accounts' && there.get(key)?.sum === sum;
      return isUnchanged || !accountsThere.has(key) ? undefined : 'it was erased here and changed there';
    };
    const existing = rows.filter(({ key }) => there.has(key));
    const removable = existing.filter((row) => reasonAgainst(row) === undefined).map(({ key }) => key);
    for (const row of existing.filter(({ key }) => !removable.includes(key))) {
      notWritten(state, kind, row.key, reasonAgainst(row) ?? '');
    }
    const left = await remove(state, kind, removable);
    for (const { key } of rows) {
      if (!there.has(key) || (removable.includes(key) && !left.has(key))) {
        gone.add(key);
      }
    }
  }
  return gone;
}

/** @returns the keys of the rows that the database does not let go */
async function remove(state: BackState, kind: Kind, keys: readonly string[]): Promise<Set<string>> {
  const { writer, written } = state;
  const left = new Set<string>();
  if (keys.length === 0) {
    return left;
  }
  await writer.transaction(async () => {
    if (kind === 'tokens') {
      await writer.removeTokens(keys);
      return;
    }
    for (const key of keys) {
      const { reason } =
        kind === 'accounts' ? await writer.removeAccount(key) : await writer.remove(kind, key);
      if (reason !== undefined) {
        left.add(key);
        notWritten(state, kind, key, reason);
      }
    }
  });
  written[kind].removed += keys.length - left.size;
  return left;
}
