import type { AuditSubject } from '../../auth/audit/audit-trail.ts';
import { commandActor } from '../../auth/caller.ts';
import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import { newId, type StoredAccount, stateOf } from '../../stores/accounts.ts';
import type { Replacement } from '../../stores/bulk-records.ts';
import type { EventNote } from '../../stores/event-notes.ts';
import type { LegacyContext } from '../legacy-context.ts';

/*
 * The events of a sync, so that services behind the gateway hear of accounts that come and go, and of tokens that were removed. The other
 * changes of a row are no acts.
 */

const SYNC = 'legacy sync';

/** An account whose state is to change, with the note about its event in the same write (event-notes.ts). */
export interface NotedState extends Replacement<StoredAccount> {
  note: EventNote;
}

/** Those of the replacements that change the state of an account get a note. */
export function noteStates<T extends Replacement<StoredAccount>>(
  replacements: readonly T[],
  at: Date,
): { replacements: T[]; noted: NotedState[] } {
  const noted: NotedState[] = [];
  const all = replacements.map((one) => {
    const { before, after } = one;
    if (stateOf(before) === stateOf(after)) {
      return one;
    }
    const act = stateOf(after) === 'active' ? ('enabling' as const) : ('closing' as const);
    const note = { id: newId(), act, at };
    const withNote = { ...after, eventNotes: [...(before.eventNotes ?? []), note] };
    noted.push({ before, after, note });
    return { ...one, after: withNote };
  });
  return { replacements: all, noted };
}

/** Stores the events of changed states. After a kill, a gateway finds the notes and does it. */
export async function recordStates(
  { audit, stores }: LegacyContext,
  changed: readonly NotedState[],
): Promise<void> {
  await Promise.all(
    changed.map(({ after: { _id: accountId, email }, note: { id: eventId, act, at } }) =>
      audit.write({ act, eventId, at, accountId, email, cause: SYNC }, commandActor(SYNC)),
    ),
  );
  if (changed.length > 0) {
    const notes = changed.map(({ after, note }) => ({ id: note.id, accountId: after._id }));
    const stored = await stores.auditEvents.storedAmong(notes.map(({ id }) => id));
    await stores.eventNotes.accounts.remove(notes.filter(({ id }) => stored.has(id)));
  }
}

/** Stores one event for each account of removed tokens. */
export async function recordRemovedTokens(
  { audit }: LegacyContext,
  removed: readonly StoredAccessToken[],
): Promise<void> {
  const byAccount = new Map<string, StoredAccessToken[]>();
  for (const token of removed) {
    byAccount.set(token.accountId, [...(byAccount.get(token.accountId) ?? []), token]);
  }
  await Promise.all(
    [...byAccount].map(([accountId, tokens]) => {
      const [first] = tokens;
      const subject: AuditSubject = { act: 'token removal', accountId, revoked: tokens.length, cause: SYNC };
      return audit.write(
        { ...subject, ...(tokens.length === 1 && first && { tokenId: first._id }) },
        commandActor(SYNC),
      );
    }),
  );
}
