import { AccountLink } from './account-link.tsx';
import type { AuditEventsQueryVariables, EventFieldsFragment } from './generated/graphql.ts';
import { currentSession } from './session.ts';
import { Table } from './table.tsx';
import { orNone, Text, Time } from './text.tsx';

interface Properties {
  events: readonly EventFieldsFragment[];
  caption: string;
  /** The ids that all events have: they are not repeated. */
  of?: Pick<AuditEventsQueryVariables, 'account' | 'actor'>;
}

/** Events of the audit trail. */
export const EventTable = ({ events, caption, of = {} }: Properties) => (
  <Table
    caption={caption}
    heads={[
      ...['Time', 'Act', 'Outcome', 'Why'],
      ...(of.account ? [] : ['Account']),
      ...(of.actor ? [] : ['By']),
      'From',
    ]}
  >
    {events.map((event) => (
      <tr key={event.id}>
        <td>
          <Time iso={event.at} />
        </td>
        <th scope="row">
          {event.act}
          {event.count !== null && ` × ${event.count}`}
        </th>
        <td className={event.outcome === 'success' ? '' : 'bad'}>{event.outcome}</td>
        <td>{orNone(event.reason && <Text>{event.reason}</Text>)}</td>
        {!of.account && <td>{orNone(event.account && <IdLink id={event.account} />)}</td>}
        {!of.actor && <td>{byWhom(event)}</td>}
        <td>
          {orNone(event.ip)} <span className="hint">{event.channel}</span>
          {event.userAgent && (
            <details className="hint agent">
              <summary>{event.device ?? 'unknown program'}</summary>
              <Text>{event.userAgent}</Text>
            </details>
          )}
        </td>
      </tr>
    ))}
  </Table>
);

function byWhom({ actor, commandLineOperator }: EventFieldsFragment) {
  if (actor) {
    return actor === currentSession()?.id ? 'you' : <IdLink id={actor} />;
  }
  return orNone(commandLineOperator && <Text>{`${commandLineOperator} (command line)`}</Text>);
}

const IdLink = ({ id }: { id: string }) => (
  <AccountLink id={id}>
    <code>{id}</code>
  </AccountLink>
);
