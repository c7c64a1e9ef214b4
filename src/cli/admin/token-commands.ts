import { shownOrigin } from '../../auth/devices.ts';
import type { StoredAccessToken } from '../../models/access-token.model.ts';
import { UsageError } from '../usage-error.ts';
import { type Command, emailOf, type Line, shown } from './command.ts';

export const listTokens: Command = {
  usage: '--email E',
  summary: 'lists the valid access tokens of an account, the newest first',
  options: ['email'],
  prepare: (options) => {
    const email = emailOf(options);
    return async function* ({ administration }): AsyncGenerator<Line> {
      const tokens = await administration.tokensOf(await administration.account(email));
      yield* tokens.map(presentToken);
      if (tokens.length === 0) {
        yield { text: 'The account has no valid tokens.' };
      }
    };
  },
};

/** Presents a token without its hash. */
function presentToken(token: StoredAccessToken): Line {
  const { _id: id, name, abilities, createdAt, lastUsedAt, expiresAt } = token;
  const { device, ip } = shownOrigin(token);
  const text = [
    id,
    name,
    `on ${device ?? 'an unknown device'} from ${ip ?? 'an unknown address'}`,
    `issued ${shown(createdAt, 'unknown')}`,
    `last used ${shown(lastUsedAt, 'never')}`,
    `expires ${shown(expiresAt, 'never')}`,
    `may ${abilities?.join(', ') ?? 'do everything'}`,
  ].join('  ');
  return { text, json: { id, name, device, ip, abilities, createdAt, lastUsedAt, expiresAt } };
}

export const revokeTokens: Command = {
  usage: '--email E (--id ID | --all)',
  summary: 'revokes one access token of an account, or all',
  options: ['email', 'id', 'all'],
  prepare: (options) => {
    const email = emailOf(options);
    const { id, all = false } = options;
    if ((id !== undefined) === all) {
      throw new UsageError('Say which tokens: either --id ID or --all.');
    }
    return async function* ({ administration, operator }): AsyncGenerator<Line> {
      const account = await administration.account(email);
      let revoked = 1;
      if (id === undefined) {
        revoked = await administration.revokeAllTokens(account, operator);
      } else {
        await administration.revokeToken(account, id, operator);
      }
      yield { text: `Tokens revoked: ${revoked}.`, json: { revoked } };
    };
  },
};
