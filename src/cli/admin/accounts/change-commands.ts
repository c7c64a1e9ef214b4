import { type Command, emailOf, type Line, shown } from './command.ts';

const ACCOUNT_OF_AN_EMAIL = { usage: '--email E', options: ['email'] } as const;

export const showAccount: Command = {
  ...ACCOUNT_OF_AN_EMAIL,
  summary: 'shows an account',
  prepare: (options) => {
    const email = emailOf(options);
    return async function* ({ administration }): AsyncGenerator<Line> {
      const account = await administration.account(email);
      const tokens = (await administration.tokensOf(account)).length;
      const { id, name, phone, role, createdAt, disabledAt } = account;
      const fields = [
        ['id', id],
        ['name', name],
        ['e-mail', account.email],
        ['phone', phone ?? '-'],
        ['role', role],
        ['created', shown(createdAt, 'unknown')],
        ['disabled', shown(disabledAt, 'no')],
        ['tokens', tokens],
      ];
      const text = fields.map(([label, value]) => `${label}`.padEnd(10) + value);
      const json = { id, name, email: account.email, phone, role, createdAt, disabledAt, tokens };
      yield { text, json };
    };
  },
};

export const disableAccount: Command = {
  ...ACCOUNT_OF_AN_EMAIL,
  summary: 'blocks logins to an account and revokes its tokens',
  prepare: (options) => {
    const email = emailOf(options);
    return async function* ({ administration, operator }): AsyncGenerator<Line> {
      const account = await administration.account(email);
      const { disabledAt, revoked } = await administration.disable(account, operator);
      const text = `Account ${account.id} is disabled; tokens revoked: ${revoked}.`;
      yield { text, json: { id: account.id, disabledAt, revoked } };
    };
  },
};

export const enableAccount: Command = {
  ...ACCOUNT_OF_AN_EMAIL,
  summary: 'allows logins to a disabled account again',
  prepare: (options) => {
    const email = emailOf(options);
    return async function* ({ administration, operator }): AsyncGenerator<Line> {
      const account = await administration.account(email);
      await administration.enable(account, operator);
      const text = `Account ${account.id} is enabled; its owner has to log in again.`;
      yield { text, json: { id: account.id, disabledAt: null } };
    };
  },
};
