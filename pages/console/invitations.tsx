import { useState } from 'react';
import { send } from './api.ts';
import { useProof } from './changes.tsx';
import { Dialog, Field, Form } from './dialog.tsx';
import {
  InviteDocument,
  type InvitedRole,
  OpenInvitationsDocument,
  type OpenInvitationsQuery,
  RenewInvitationDocument,
  WithdrawInvitationDocument,
} from './generated/graphql.ts';
import { Shown, useLoaded } from './loading.tsx';
import { Table } from './table.tsx';
import { Text, Time } from './text.tsx';

type Invitation = OpenInvitationsQuery['openInvitations'][number];

/** What an operator does with an invitation, for its button and its dialog. */
interface Change {
  title: string;
  submit: string;
  /** Absent: somebody is invited. */
  of?: Invitation;
  run(values: Record<string, string>): Promise<unknown>;
}

const invite = (role: InvitedRole): Change => ({
  title: `Invite a ${role.toLowerCase()}`,
  submit: 'Invite',
  run: ({ email = '', name = '' }) => send(InviteDocument, { input: { email, name, role } }),
});
const renew = (of: Invitation): Change => ({
  ...{ title: 'Send another link', submit: 'Send', of },
  run: () => send(RenewInvitationDocument, { id: of.id }),
});
const withdraw = (of: Invitation): Change => ({
  ...{ title: 'Withdraw the invitation', submit: 'Withdraw', of },
  run: () => send(WithdrawInvitationDocument, { id: of.id }),
});

/** The people who were invited and have not registered. */
export function InvitationsPage() {
  const read = async () => (await send(OpenInvitationsDocument, {})).openInvitations;
  const loaded = useLoaded('invitations', read);
  const [change, setChange] = useState<Change>();
  const button = (next: Change, text: string) => (
    <button type="button" onClick={() => setChange(next)}>
      {text}
    </button>
  );
  return (
    <>
      <h1>Invitations</h1>
      <p>An invited person gets a link by mail, which works once, for seven days. Nobody else sees it.</p>
      <p className="buttons">
        {button(invite('PATIENT'), 'Invite a patient…')} {button(invite('DOCTOR'), 'Invite a doctor…')}
      </p>
      <Shown loaded={loaded}>
        {(open) =>
          open.length === 0 ? (
            <p>Nobody is invited.</p>
          ) : (
            <Table heads={['Name', 'E-mail', 'Role', 'Valid until', 'Change']}>
              {open.map((one) => (
                <tr key={one.id}>
                  <th scope="row">
                    <Text>{one.name}</Text>
                  </th>
                  <td>
                    <Text>{one.email}</Text>
                  </td>
                  <td>{one.role.toLowerCase()}</td>
                  <td>
                    <Time iso={one.expiresAt} />
                  </td>
                  <td>
                    {button(renew(one), 'Send again…')} {button(withdraw(one), 'Withdraw…')}
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
      {change && (
        <ChangeDialog
          change={change}
          onClose={() => setChange(undefined)}
          onDone={() => {
            setChange(undefined);
            loaded.reload();
          }}
        />
      )}
    </>
  );
}

function ChangeDialog({ change, onClose, onDone }: { change: Change; onClose(): void; onDone(): void }) {
  const { proving, stepUp } = useProof();
  const sendChange = (values: Record<string, string>) =>
    proving(async () => {
      await change.run(values);
      onDone();
    });
  return (
    <>
      <Dialog title={change.title} onClose={onClose}>
        <p>{change.of ? <Text>{change.of.email}</Text> : 'The link is mailed at once.'}</p>
        <Form submit={change.submit} send={sendChange} onCancel={onClose}>
          {(error) =>
            !change.of && (
              <>
                <Field label="E-mail" name="email" type="email" error={error} />
                <Field label="Name" name="name" error={error} />
              </>
            )
          }
        </Form>
      </Dialog>
      {stepUp}
    </>
  );
}
