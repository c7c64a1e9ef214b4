import { send } from './api.ts';
import { EventTable } from './events.tsx';
import {
  AuditEventsDocument,
  type AuditEventsQueryVariables,
  type AuditedAct,
  type AuditOutcome,
} from './generated/graphql.ts';
import { Choice, Filters, ShowMore, usePagedList } from './paged-list.tsx';

/** The acts of the schema, in the order of the audit trail. */
const ACTS: readonly AuditedAct[] = [
  'LOGIN',
  'LOGOUT',
  'REGISTRATION',
  'PASSWORD_CHANGE',
  'PASSWORD_RESET',
  'RESET_LINK',
  'SECOND_FACTOR_CONFIRMATION',
  'SECOND_FACTOR_REMOVAL',
  'SECOND_FACTOR_RESET',
  'PASSKEY_ADDITION',
  'PASSKEY_REMOVAL',
  'E_MAIL_CHANGE_REQUEST',
  'E_MAIL_CHANGE',
  'E_MAIL_PROOF',
  'CORRECTION',
  'REVIEW',
  'DISABLING',
  'ENABLING',
  'UNLOCKING',
  'REVOCATION',
  'CLOSING',
  'ERASURE',
  'DATA_EXPORT',
  'READING',
  'MANY_READINGS',
  'ACT_REQUEST',
  'ACT_CONFIRMATION',
  'ACT_REFUSAL',
  'ACCOUNT_CREATION',
  'SET_UP',
];
const OUTCOMES: readonly AuditOutcome[] = ['SUCCESS', 'FAILURE', 'UNKNOWN'];

/** The audit trail, the newest events first. */
export function AuditPage() {
  const list = usePagedList(
    async (variables: AuditEventsQueryVariables) => (await send(AuditEventsDocument, variables)).auditEvents,
  );
  const { found, isLoading } = list;
  const find = (text: (name: string) => string | null) => {
    const time = (name: string) => {
      const day = text(name);
      return day === null ? null : new Date(day).toISOString();
    };
    void list.read({
      account: text('account'),
      actor: text('actor'),
      act: text('act') as AuditedAct | null,
      outcome: text('outcome') as AuditOutcome | null,
      since: time('since'),
      until: time('until'),
    });
  };
  return (
    <>
      <h1>Audit trail</h1>
      <Filters list={list} find={find}>
        <label>
          Account (id)
          <input name="account" autoComplete="off" maxLength={128} />
        </label>
        <label>
          Operator or reviewer (id)
          <input name="actor" autoComplete="off" maxLength={128} />
        </label>
        <Choice label="Act" name="act" of={ACTS} />
        <Choice label="Outcome" name="outcome" of={OUTCOMES} />
        <label>
          From
          <input name="since" type="datetime-local" />
        </label>
        <label>
          Until
          <input name="until" type="datetime-local" />
        </label>
      </Filters>
      <p role="status">
        {isLoading ? 'Loading…' : found && found.items.length === 0 ? 'No events were found.' : ''}
      </p>
      {found && found.items.length > 0 && (
        <EventTable events={found.items} caption="Events, the newest first" of={found.variables} />
      )}
      <ShowMore list={list} />
    </>
  );
}
