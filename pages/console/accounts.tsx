import type { FormEvent } from 'react';
import { AccountLink } from './account-link.tsx';
import { send } from './api.ts';
import {
  type AccountState,
  AccountsDocument,
  type AccountsQueryVariables,
  type ListedFieldsFragment,
  type Role,
} from './generated/graphql.ts';
import { ListProblem, ShowMore, usePagedList } from './paged-list.tsx';
import { Text } from './text.tsx';

/** Finds people. Only what is asked for is read: a list of everybody helps nobody. */
export function AccountsPage() {
  const list = usePagedList(
    async (variables: AccountsQueryVariables) => (await send(AccountsDocument, variables)).accounts,
  );
  const { found, isLoading } = list;

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const text = (name: string) => String(values.get(name) ?? '').trim();
    void list.read({
      search: text('search') || null,
      role: (text('role') || null) as Role | null,
      state: (text('state') || null) as AccountState | null,
      withoutTwoFactor: values.has('withoutTwoFactor'),
      first: 25,
    });
  };

  return (
    <>
      <h1>Accounts</h1>
      <form onSubmit={submit} className="filters">
        <label>
          Name, e-mail or telephone
          <input name="search" type="search" autoComplete="off" maxLength={255} />
        </label>
        <label>
          Role
          <select name="role">
            <option value="">any</option>
            <option value="PATIENT">patient</option>
            <option value="DOCTOR">doctor</option>
            <option value="REVIEWER">reviewer</option>
            <option value="OPERATOR">operator</option>
          </select>
        </label>
        <label>
          State
          <select name="state">
            <option value="">any</option>
            <option value="ACTIVE">active</option>
            <option value="DISABLED">disabled</option>
            <option value="CLOSED">closed</option>
          </select>
        </label>
        <label className="check">
          <input name="withoutTwoFactor" type="checkbox" /> without a second factor
        </label>
        <button type="submit" className="primary" disabled={isLoading}>
          Find
        </button>
      </form>
      <ListProblem problem={list.problem} />
      <p role="status">{isLoading ? 'Loading…' : found ? resultText(found) : ''}</p>
      {found && found.items.length > 0 && <AccountTable accounts={found.items} />}
      <ShowMore list={list} />
    </>
  );
}

function resultText({ items: { length }, next }: { items: readonly unknown[]; next: string | null }): string {
  if (length === 0) {
    return next === null ? 'Nobody was found.' : 'Nobody was found yet. “Show more” looks further.';
  }
  return `${length} ${length === 1 ? 'account' : 'accounts'}${next === null ? '' : ', and perhaps more'}`;
}

/** Accounts as links to their pages. */
export const AccountTable = ({ accounts }: { accounts: readonly ListedFieldsFragment[] }) => (
  <div className="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">E-mail</th>
          <th scope="col">Role</th>
          <th scope="col">State</th>
          <th scope="col">Second factor</th>
        </tr>
      </thead>
      <tbody>
        {accounts.map(({ id, name, email, role, state, hasTwoFactor }) => (
          <tr key={id}>
            <th scope="row">
              <AccountLink id={id}>
                <Text>{name}</Text>
              </AccountLink>
            </th>
            <td>
              <Text>{email}</Text>
            </td>
            <td>{role.toLowerCase()}</td>
            <td>{state}</td>
            <td>{hasTwoFactor ? 'yes' : 'no'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
