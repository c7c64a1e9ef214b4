import type { AccountStore } from '../stores/accounts.ts';
import { emailKey } from '../stores/email-key.ts';
import type { InvitationStore, StoredInvitation } from '../stores/invitations.ts';
import type { InvitedRole } from '../stores/roles.ts';
import type { Clock } from '../system/clock.ts';
import { broken } from '../system/error-details.ts';
import { InvalidInvitationError, ValidationError } from '../system/errors.ts';
import type { Logger } from '../system/log.ts';
import { digestOfToken, randomLinkToken } from './link-tokens.ts';

interface InvitationsParts {
  invitations: InvitationStore;
  accounts: AccountStore;
  clock: Clock;
  log: Logger;
}

/**
 * Whether an invitation can be used. Nobody but its mail has the token, so its use proves the e-mail. The insert of the account is the
 * use: an invitation is used if its account exists, or its e-mail has any, whatever a kill has left.
 */
export class InvitationUse {
  constructor(private readonly parts: InvitationsParts) {}

  /** Those with which, and with whose e-mail, nobody has registered. A list costs two queries. */
  async unused(invitations: readonly StoredInvitation[]): Promise<StoredInvitation[]> {
    const { accounts } = this.parts;
    const [made, taken] = await Promise.all([
      accounts.existing(invitations.flatMap(({ accountId }) => accountId ?? [])),
      accounts.emailKeysAmong(invitations.map(({ emailKey }) => emailKey)),
    ]);
    return invitations.filter(
      ({ end, accountId = '', emailKey }) => end !== 'used' && !made.has(accountId) && !taken.has(emailKey),
    );
  }

  async isUsed(invitation: StoredInvitation): Promise<boolean> {
    return (await this.unused([invitation])).length === 0;
  }

  /** @throws InvalidInvitationError if the token is unknown, void, used or expired */
  async find(token: string): Promise<StoredInvitation> {
    const { invitations, clock } = this.parts;
    const found = await invitations.findByToken(digestOfToken(token), new Date(clock.now()));
    if (!found || (await this.isUsed(found))) {
      throw new InvalidInvitationError();
    }
    return found;
  }

  /**
   * The invitation for a registration.
   * @throws InvalidInvitationError as {@link find}, and for another role; ValidationError for another e-mail
   */
  async findFor(token: string, role: InvitedRole, email?: string): Promise<StoredInvitation> {
    const found = await this.find(token);
    if (found.role !== role) {
      throw new InvalidInvitationError();
    }
    if (email !== undefined && emailKey(email) !== found.emailKey) {
      const text = 'The email field must be the address that was invited.';
      throw new ValidationError({ email: broken('state', text) });
    }
    return found;
  }

  /**
   * Notes which account is inserted next. @returns the proof of its e-mail
   * @throws InvalidInvitationError if the invitation has ended since it was found
   */
  async begin(found: StoredInvitation, accountId: string, now: Date) {
    if (!(await this.parts.invitations.begin(found, accountId, now))) {
      throw new InvalidInvitationError();
    }
    return { emailProof: { emailKey: found.emailKey, at: now } };
  }

  /** Ends an invitation whose account is inserted. It is used by then, even if this fails. */
  async noteUsed(id: string): Promise<void> {
    const { invitations, clock, log } = this.parts;
    await invitations.end(id, 'used', new Date(clock.now())).catch((err: unknown) => {
      log.warn({ err, invitation: id }, 'an invitation was not noted as used; its account is there');
    });
  }

  /** Makes the token, for the mail alone. An earlier one is void. @throws Error if the invitation has ended: there is nothing to mail */
  async makeToken(id: string): Promise<string> {
    const { invitations, clock } = this.parts;
    const token = randomLinkToken();
    if (!(await invitations.setToken(id, digestOfToken(token), new Date(clock.now())))) {
      throw new Error('the invitation ended before it was mailed');
    }
    return token;
  }
}
