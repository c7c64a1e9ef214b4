import { type ReactNode, useState } from 'react';
import { send } from './api.ts';
import { type Change, ChangeDialog, changesOf, confirmAct, declineAct, resendMail } from './changes.tsx';
import { EventTable } from './events.tsx';
import { AccountDocument, type PersonFragment } from './generated/graphql.ts';
import { Shown, useLoaded } from './loading.tsx';
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
      {person.requested && <Requested person={person} choose={setChange} />}
      <Facts person={person} />
      {isStaff ? (
        <p className="hint">Only the command line changes the accounts of operators and reviewers.</p>
      ) : (
        <p className="buttons">
          {changesOf(person).map((one) => (
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
      <EventTable events={person.events} caption="Last events" />
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

function Requested({
  person: { requested },
  choose,
}: {
  person: PersonFragment;
  choose(change: Change): void;
}) {
  return (
    requested && (
      <div className="problem">
        <p>
          Waits for another operator since <Time iso={requested.at} />: {requested.act}
          {requested.email && (
            <>
              {' '}
              to <Text>{requested.email}</Text>
            </>
          )}
          , because: <Text>{requested.reason}</Text>
        </p>
        <p className="buttons">
          <button type="button" onClick={() => choose(confirmAct(requested.id))}>
            Confirm…
          </button>
          <button type="button" onClick={() => choose(declineAct(requested.id))}>
            Decline…
          </button>
        </p>
      </div>
    )
  );
}

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
    ['Reason of the review', verification?.reason && <Text>{verification.reason}</Text>],
  ];
  return (
    <dl className="facts">
      {rows.map(
        ([name, value]) =>
          // What an account does not have takes no room.
          value !== null &&
          value !== undefined &&
          value !== false &&
          value !== '' && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
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
    <div className="scroll">
      <table>
        <caption>Sessions</caption>
        <thead>
          <tr>
            <th scope="col">Device</th>
            <th scope="col">From</th>
            <th scope="col">Since</th>
            <th scope="col">Last used</th>
          </tr>
        </thead>
        <tbody>
          {devices.map(({ device, ip, createdAt, lastUsedAt }) => (
            <tr key={createdAt}>
              <th scope="row">{orNone(device && <Text>{device}</Text>, 'unknown')}</th>
              <td>{orNone(ip)}</td>
              <td>
                <Time iso={createdAt} />
              </td>
              <td>{orNone(lastUsedAt && <Time iso={lastUsedAt} />, 'never')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );

function Mails({
  person: { mails },
  choose,
}: {
  person: PersonFragment;
  choose: ((change: Change) => void) | undefined;
}) {
  return mails.length === 0 ? (
    <p>No mail waits.</p>
  ) : (
    <div className="scroll">
      <table>
        <caption>Mails that wait</caption>
        <thead>
          <tr>
            <th scope="col">About</th>
            <th scope="col">Ordered</th>
            <th scope="col">Attempts</th>
            <th scope="col">Next attempt</th>
            <th scope="col">
              <span className="visually-hidden">Act</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {mails.map(({ id, kind, orderedAt, attempts, dueAt }) => (
            <tr key={id}>
              <th scope="row">{kind}</th>
              <td>
                <Time iso={orderedAt} />
              </td>
              <td>{attempts}</td>
              <td>{orNone(dueAt && <Time iso={dueAt} />)}</td>
              <td>
                {choose && (
                  <button type="button" onClick={() => choose(resendMail(id))}>
                    Send again…
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
