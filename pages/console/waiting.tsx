import { useState } from 'react';
import { AccountLink } from './account-link.tsx';
import { send } from './api.ts';
import { ActAnswers, type Change, ChangeDialog } from './changes.tsx';
import { WaitingActsDocument, type WaitingActsQuery } from './generated/graphql.ts';
import { Shown, useLoaded } from './loading.tsx';
import { Table } from './table.tsx';
import { orNone, Text, Time } from './text.tsx';

type Waiting = WaitingActsQuery['waitingActs'][number];

/** The acts that wait for another operator. */
export function WaitingPage() {
  const loaded = useLoaded('waiting', async () => (await send(WaitingActsDocument, {})).waitingActs);
  const [chosen, setChosen] = useState<{ act: Waiting; change: Change }>();
  return (
    <>
      <h1>Waiting for another operator</h1>
      <p>
        A changed e-mail, a removed second factor and a link to a new password together open any account. So
        the second of them within seven days needs two operators.
      </p>
      <Shown loaded={loaded}>
        {(acts) =>
          acts.length === 0 ? (
            <p>Nothing waits.</p>
          ) : (
            <ActTable acts={acts} choose={(act, change) => setChosen({ act, change })} />
          )
        }
      </Shown>
      {chosen && (
        <ChangeDialog
          change={chosen.change}
          account={{ ...chosen.act.account, version: chosen.act.version }}
          onClose={() => setChosen(undefined)}
          onDone={() => {
            setChosen(undefined);
            loaded.reload();
          }}
        />
      )}
    </>
  );
}

interface TableProperties {
  acts: readonly Waiting[];
  choose(act: Waiting, change: Change): void;
}

const ActTable = ({ acts, choose }: TableProperties) => (
  <Table heads={['Account', 'Act', 'Why', 'Asked by', 'Since', 'Answer']}>
    {acts.map((act) => (
      <tr key={act.id}>
        <th scope="row">
          <AccountLink id={act.account.id}>
            <Text>{act.account.name}</Text>
          </AccountLink>
        </th>
        <td>
          {act.act} {act.email && <Text>{act.email}</Text>}
        </td>
        <td>
          <Text>{act.reason}</Text>
        </td>
        <td>{orNone(act.requestedByName && <Text>{act.requestedByName}</Text>)}</td>
        <td>
          <Time iso={act.at} />
        </td>
        <td>
          <ActAnswers act={act} choose={(change) => choose(act, change)} />
        </td>
      </tr>
    ))}
  </Table>
);
