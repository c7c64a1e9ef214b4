import { type ReactNode, useState } from 'react';
import { send } from './api.ts';
import { ActAnswers, type Change, ChangeDialog, changesOf, resendMail, saveData } from './changes.tsx';
import { EventTable } from './events.tsx';
import { AccountDocument, type PersonFragment } from './generated/graphql.ts';
import { Shown, useLoaded } from './loading.tsx';
import { Table } from './table.tsx';
import { orNone, Text, Time } from './text.tsx';

const STAFF = ['OPERATOR', 'REVIEWER'];

/** All about one person, and what can be done for them. */
export function PersonPage({ id }: { id: string }) {
  const loaded = useLoaded(id, async () => (await send(AccountDocument, { id })).account ?? null);
  return (
    <Shown loaded={loaded}>
      {(person) =>
        person === null ? (
          <>
            <h1>Nobody</h1>
            <p>No account has this id.</p>
          </>
        ) : (
          <Person person={person} onChanged={loaded.replace} onReload={loaded.reload} />
        )
      }
    </Shown>
  );
}

interface PersonProperties {
  person: PersonFragment;
  onChanged(person: PersonFragment): void;
  onReload(): void;
}

function Person({ person, onChanged, onReload }: PersonProperties) {
  const [change, setChange] = useState<Change>();
  const [notice, setNotice] = useState('');
  const isStaff = STAFF.includes(person.role);
  return (
    <>
      <h1>
        <Text>{person.name}</Text>
      </h1>
      <p role="status">{notice}</p>
      {person.requested && <Requested act={person.requested} choose={setChange} />}
      <Facts person={person} />
      {isStaff ? (
        <p className="hint">Only the command line changes the accounts of operators and reviewers.</p>
      ) : (
        <p className="buttons">
          {[...changesOf(person), saveData].map((one) => (
            <button key={one.title} type="button" onClick={() => setChange(one)}>
              {one.title}…
            </button>
          ))}
          <button type="button" onClick={onReload}>
            Read again
          </button>
        </p>
      )}
      <Devices person={person} />
      <Mails person={person} choose={isStaff ? undefined : setChange} />
      <EventTable events={person.events} caption="Last events" of={{ account: person.id }} />
      {change && (
        <ChangeDialog
          change={change}
          account={person}
          onClose={() => setChange(undefined)}
          onDone={(changed) => {
            setChange(undefined);
            setNotice(doneText(change, person, changed));
            onChanged(changed);
          }}
        />
      )}
    </>
  );
}

const doneText = ({ title }: Change, before: PersonFragment, { requested }: PersonFragment): string =>
  requested && requested.id !== before.requested?.id
    ? 'Another operator has to confirm it.'
    : `Done: ${title}.`;

interface RequestedProperties {
  act: NonNullable<PersonFragment['requested']>;
  choose(change: Change): void;
}

const Requested = ({ act, choose }: RequestedProperties) => (
  <div className="problem">
    <p>
      Waits for another operator since <Time iso={act.at} />: {act.act}
      {act.email && (
        <>
          {' '}
          to <Text>{act.email}</Text>
        </>
      )}
      , because: <Text>{act.reason}</Text>
    </p>
    <ActAnswers act={act} choose={choose} />
  </div>
);

function Facts({ person }: { person: PersonFragment }) {
  const { secondFactor, passkeys, verification } = person;
  const rows: readonly (readonly [string, ReactNode])[] = [
    ['Id', <code key="id">{person.id}</code>],
    ['State', person.state],
    ['Role', person.role.toLowerCase()],
    ['E-mail', <Text key="email">{person.email}</Text>],
    ['E-mail proven', timeOr(person.emailVerifiedAt, 'no')],
    ['Telephone', person.phone && <Text>{person.phone}</Text>],
    ['Date of birth', person.dateOfBirth],
    ['Language of mails', person.language && <Text>{person.language}</Text>],
    ['Registered', timeOr(person.createdAt, 'unknown')],
    ['Disabled since', timeOr(person.disabledAt)],
    ['Erased on', timeOr(person.erasureDueAt)],
    ['Authenticator app', secondFactor.enabled ? timeOr(secondFactor.confirmedAt, 'yes') : 'no'],
    ['Recovery codes left', secondFactor.recoveryCodesLeft],
    ['Wrong codes in a row', secondFactor.wrongCodes],
    ['Second factor required', secondFactor.required ? 'yes' : 'no'],
    ['Passkeys', passkeys.length > 0 && <PasskeyNames passkeys={passkeys} />],
    ['Review', verification?.status.toLowerCase()],
    ['Verified until', timeOr(verification?.until)],
    ['Reason of the review', verification?.reason && <Text hasLines>{verification.reason}</Text>],
  ];
  // What an account does not have takes no room.
  const known = rows.filter(([, value]) => value || value === 0);
  return (
    <dl className="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const timeOr = (iso: string | null | undefined, none?: string): ReactNode =>
  iso ? <Time iso={iso} /> : none;

const PasskeyNames = ({ passkeys }: Pick<PersonFragment, 'passkeys'>) => (
  <ul>
    {passkeys.map(({ name, createdAt }) => (
      <li key={`${createdAt} ${name}`}>
        <Text>{name}</Text>
      </li>
    ))}
  </ul>
);

const Devices = ({ person: { devices } }: { person: PersonFragment }) =>
  devices.length === 0 ? (
    <p>There are no sessions.</p>
  ) : (
    <Table caption="Sessions" heads={['Device', 'From', 'Since', 'Last used']}>
      {devices.map(({ device, ip, createdAt, lastUsedAt }) => (
        <tr key={createdAt}>
          <th scope="row">{orNone(device && <Text>{device}</Text>, 'unknown')}</th>
          <td>{orNone(ip)}</td>
          <td>
            <Time iso={createdAt} />
          </td>
          <td>{timeOr(lastUsedAt, 'never')}</td>
        </tr>
      ))}
    </Table>
  );

interface MailsProperties {
  person: PersonFragment;
  choose: ((change: Change) => void) | undefined;
}

const Mails = ({ person: { mails }, choose }: MailsProperties) =>
  mails.length === 0 ? (
    <p>No mail waits.</p>
  ) : (
    <Table caption="Mails that wait" heads={['About', 'Ordered', 'Attempts', 'Next attempt', 'Act']}>
      {mails.map(({ id, kind, orderedAt, attempts, dueAt }) => (
        <tr key={id}>
          <th scope="row">{kind}</th>
          <td>
            <Time iso={orderedAt} />
          </td>
          <td>{attempts}</td>
          <td>{timeOr(dueAt, '–')}</td>
          <td>
            {choose && (
              <button type="button" onClick={() => choose(resendMail(id))}>
                Send again…
              </button>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
