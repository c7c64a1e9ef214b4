import { useState } from 'react';
import { send } from './api.ts';
import { csvCell } from './csv.ts';
import { download } from './download.ts';
import {
  AccountsDocument,
  type AccountsQuery,
  type AccountsQueryVariables,
  type ListedFieldsFragment,
  type Role,
} from './generated/graphql.ts';
import { asApiError } from './loading.tsx';

const ROLES: readonly Role[] = ['REVIEWER', 'DOCTOR', 'PATIENT'];
const HEADINGS = ['id', 'name', 'e-mail', 'role', 'registered'];

/** The report as a file for a spreadsheet (RFC 4180). */
export const csvOf = (accounts: readonly ListedFieldsFragment[]): string =>
  [
    HEADINGS,
    ...accounts.map(({ id, name, email, role, createdAt }) => [
      id,
      name,
      email,
      role.toLowerCase(),
      createdAt ?? '',
    ]),
  ]
    .map((row) => `${row.map(csvCell).join(',')}\r\n`)
    .join('');

/** Saves who has no second factor yet, as a file for a spreadsheet. */
export function CoverageReport() {
  const [state, setState] = useState('');
  const save = async (role: Role) => {
    const accounts: ListedFieldsFragment[] = [];
    let after: string | null = null;
    try {
      do {
        const variables: AccountsQueryVariables = {
          role,
          state: 'ACTIVE',
          withoutTwoFactor: true,
          first: 100,
          after,
        };
        const page: AccountsQuery['accounts'] = (await send(AccountsDocument, variables)).accounts;
        accounts.push(...page.nodes);
        after = page.pageInfo.endCursor ?? null;
        setState(`${accounts.length.toLocaleString('en')} accounts so far …`);
      } while (after !== null);
      download(`without-second-factor-${role.toLowerCase()}.csv`, csvOf(accounts), 'text/csv');
      setState(`${accounts.length.toLocaleString('en')} accounts were saved.`);
    } catch (error) {
      setState(asApiError(error).message);
    }
  };
  return (
    <section>
      <h2>Coverage report</h2>
      <p>Who has no second factor yet, as a file for a spreadsheet:</p>
      <p className="buttons">
        {ROLES.map((role) => (
          <button key={role} type="button" onClick={() => save(role)}>
            {`${role.charAt(0)}${role.slice(1).toLowerCase()}s`}
          </button>
        ))}
      </p>
      <p role="status">{state}</p>
    </section>
  );
}
