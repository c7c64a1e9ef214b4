import { shownOrigin } from '../../auth/tokens/devices.ts';
import type { AccessToken } from '../../auth/tokens/token-lifetimes.ts';
import { UsageError } from '../command-line.ts';
import type { Line } from '../print.ts';
import { requireConsent } from '../prompt.ts';
import { type AdminAction, type AdminCommand, shown, WHICH_ACCOUNT, whichAccount } from './command.ts';
import { tableOf } from './paging.ts';

export const listTokens: AdminCommand = {
  ...WHICH_ACCOUNT,
  summary: 'lists the valid access tokens of an account, the newest first',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* ({ directory, tokenAdmin, noteReading }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      await noteReading('tokens', account);
      const valid = await tokenAdmin.tokensOf(account);
      const text = valid.length === 0 ? 'The account has no valid tokens.' : TABLE.heading;
      yield { text };
      yield* valid.map(presentToken);
    };
  },
};

const TABLE = tableOf(
  ['ID', 24],
  ['NAME', 12],
  ['DEVICE', 22],
  ['ADDRESS', 20],
  ['ISSUED', 24],
  ['LAST USED', 24],
  ['EXPIRES', 24],
  ['MAY', 10],
);

/** Presents a token without its hash. */
function presentToken(token: AccessToken): Line {
  const { _id: id, name, abilities, createdAt, lastUsedAt, expiresAt } = token;
  const { device, ip } = shownOrigin(token);
  const text = TABLE.row(
    id,
    name,
    device ?? 'unknown',
    ip ?? 'unknown',
    shown(createdAt, 'unknown'),
    shown(lastUsedAt, 'never'),
    shown(expiresAt, 'never'),
    abilities?.join(', ') ?? 'everything',
  );
  return { text, json: { id, name, device, ip, abilities, createdAt, lastUsedAt, expiresAt } };
}

export const revokeTokens: AdminCommand = {
  usage: `(${WHICH_ACCOUNT.usage} (--id ID | --all) | --everyone [--yes])`,
  summary:
    'revokes one access token of an account (--id is the id of the token), or all of them. With --everyone, revokes the access tokens of all accounts: everybody must log in again',
  options: ['email', 'account', 'id', 'all', 'everyone', 'yes'],
  prepare: ({ email, account: accountId, id, all = false, everyone = false, yes = false }) => {
    if (everyone) {
      if (email !== undefined || accountId !== undefined || id !== undefined || all) {
        throw new UsageError('--everyone stands alone: it revokes the tokens of all accounts.');
      }
      return revokeEveryones(yes);
    }
    const which = whichAccount({ email, account: accountId });
    if ((id !== undefined) === all) {
      throw new UsageError('Say which tokens: either --id ID or --all.');
    }
    return async function* ({ directory, tokenAdmin, operator }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      let revoked = 1;
      if (id === undefined) {
        revoked = await tokenAdmin.revokeAll(account, operator);
      } else {
        await tokenAdmin.revoke(account, id, operator);
      }
      yield { text: `Tokens revoked: ${revoked}.`, json: { revoked } };
    };
  },
};

function revokeEveryones(isConfirmed: boolean): AdminAction {
  return async function* ({ tokenAdmin, operator }): AsyncGenerator<Line> {
    await requireConsent(isConfirmed, 'Everybody will have to log in again. Go on?');
    const revoked = await tokenAdmin.revokeEveryones(operator);
    yield { text: `Tokens revoked: ${revoked}.`, json: { revoked } };
  };
}
