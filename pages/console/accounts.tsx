import { AccountLink } from './account-link.tsx';
import { send } from './api.ts';
import {
  type AccountState,
  AccountsDocument,
  type AccountsQueryVariables,
  type ListedFieldsFragment,
  type Role,
} from './generated/graphql.ts';
import { Choice, Filters, type Found, ShowMore, usePagedList } from './paged-list.tsx';
import { Table } from './table.tsx';
import { Text } from './text.tsx';

const ROLES: readonly Role[] = ['PATIENT', 'DOCTOR', 'REVIEWER', 'OPERATOR'];
const STATES: readonly AccountState[] = ['ACTIVE', 'DISABLED', 'CLOSED'];

/** Finds people. Only what is asked for is read: a list of everybody helps nobody. */
export function AccountsPage() {
  const list = usePagedList(
    async (variables: AccountsQueryVariables) => (await send(AccountsDocument, variables)).accounts,
  );
  const { found, isLoading } = list;
  const find = (text: (name: string) => string | null) =>
    list.read({
      search: text('search'),
      role: text('role') as Role | null,
      state: text('state') as AccountState | null,
      withoutTwoFactor: text('withoutTwoFactor') !== null,
      first: 25,
    });
  return (
    <>
      <h1>Accounts</h1>
      <Filters list={list} find={find}>
        <label>
          Name, e-mail or telephone
          <input name="search" type="search" autoComplete="off" maxLength={255} />
        </label>
        <Choice label="Role" name="role" of={ROLES} />
        <Choice label="State" name="state" of={STATES} />
        <label className="check">
          <input name="withoutTwoFactor" type="checkbox" /> without a second factor
        </label>
      </Filters>
      <p role="status">{isLoading ? 'Loading…' : found ? resultText(found) : ''}</p>
      {found && found.items.length > 0 && <AccountTable accounts={found.items} />}
      <ShowMore list={list} />
    </>
  );
}

function resultText({ items: { length }, next, variables }: Found<unknown, AccountsQueryVariables>): string {
  if (length > 0) {
    return `${length} ${length === 1 ? 'account' : 'accounts'}${next === null ? '' : ', and perhaps more'}`;
  }
  if (next !== null) {
    return 'Nobody was found yet. “Show more” looks further.';
  }
  const words = variables.search?.split(/[^\p{L}\p{N}@]+/u) ?? [];
  return variables.search && words.every((word) => [...word].length < 3)
    ? 'Nobody was found: a search needs at least three characters, or a whole name of two.'
    : 'Nobody was found.';
}

const AccountTable = ({ accounts }: { accounts: readonly ListedFieldsFragment[] }) => (
  <Table heads={['Name', 'E-mail', 'Role', 'State', 'Second factor']}>
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
  </Table>
);
