import { AccountLink } from './account-link.tsx';
import type { EventFieldsFragment } from './generated/graphql.ts';
import { orNone, Text, Time } from './text.tsx';

/** Events of the audit trail. */
export const EventTable = ({
  events,
  caption,
}: {
  events: readonly EventFieldsFragment[];
  caption: string;
}) => (
  <div className="scroll">
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Act</th>
          <th scope="col">Outcome</th>
          <th scope="col">Why</th>
          <th scope="col">Account</th>
          <th scope="col">By</th>
          <th scope="col">From</th>
        </tr>
      </thead>
      <tbody>
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
            <td>{orNone(event.account && <IdLink id={event.account} />)}</td>
            <td>{byWhom(event)}</td>
            <td>
              {orNone(event.ip)} <span className="hint">{event.channel}</span>
              {event.userAgent && (
                <span className="hint agent">
                  <Text>{event.userAgent}</Text>
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function byWhom({ actor, commandLineOperator }: EventFieldsFragment) {
  if (actor) {
    return <IdLink id={actor} />;
  }
  return orNone(commandLineOperator && <Text>{`${commandLineOperator} (command line)`}</Text>);
}

const IdLink = ({ id }: { id: string }) => (
  <AccountLink id={id}>
    <code>{id}</code>
  </AccountLink>
);
