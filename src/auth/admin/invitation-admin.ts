import type { Outbox } from '../../mail/outbox.ts';
import { type AccountStore, newId } from '../../stores/accounts.ts';
import type { AuditedAct } from '../../stores/audit-events.ts';
import type { InvitationStore, StoredInvitation } from '../../stores/invitations.ts';
import type { InvitedRole } from '../../stores/roles.ts';
import type { Clock } from '../../system/clock.ts';
import { broken } from '../../system/error-details.ts';
import { ConflictError, NotFoundError, ValidationError } from '../../system/errors.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { recordedByOperator } from '../audit/recorded-acts.ts';
import type { Actor } from '../caller.ts';
import type { Features, RegistrationModes } from '../features.ts';
import type { InvitationUse } from '../invitation-use.ts';
import { refuseTakenEmail } from '../registration.ts';
import { commit } from '../running-act.ts';

/** An invitation as operators see it. */
export type Invitation = Pick<StoredInvitation, 'email' | 'role' | 'name' | 'expiresAt'> & {
  id: string;
};

/** Whom an operator invites. */
export type Invited = Pick<Invitation, 'email' | 'role' | 'name'>;

interface InvitationAdminParts {
  accounts: AccountStore;
  invitations: InvitationStore;
  invitationUse: InvitationUse;
  registrationModes: RegistrationModes;
  features: Features;
  outbox: Outbox;
  audit: AuditTrail;
  clock: Clock;
}

export const toInvitation = (stored: StoredInvitation): Invitation => {
  const { _id: id, email, role, name, expiresAt } = stored;
  return { id, email, role, name, expiresAt };
};

/** What operators do with invitations, by the command line or by their API. Nobody but the invited person gets the token. */
export class InvitationAdmin {
  constructor(private readonly parts: InvitationAdminParts) {}

  /** Those who have not come, the newest first: used and withdrawn invitations are not among them. */
  async waiting(): Promise<Invitation[]> {
    const { invitations, invitationUse } = this.parts;
    return (await invitationUse.unused(await invitations.open())).map(toInvitation);
  }

  /**
   * Invites a person by a mail.
   * @throws NotFoundError if there are no invitations; ValidationError on `role` if its registration is off, and on `email` if it has an
   *   account or an invitation
   */
  async invite(invited: Invited, actor: Actor): Promise<Invitation> {
    const { accounts, invitations, clock } = this.parts;
    return this.#record('invitation', invited.email, actor, async () => {
      this.#requireOffered(invited.role);
      await refuseTakenEmail(accounts, invited.email);
      const invitation = { _id: newId(), ...invited };
      const made = await commit(() => invitations.insert(invitation, new Date(clock.now())));
      if (!made) {
        const text = 'The email has been invited already. Send that invitation again.';
        throw new ValidationError({ email: broken('state', text) });
      }
      await this.#mail(made);
      return made;
    });
  }

  /** Mails another link, valid for seven days from now. Earlier links are void at once. @throws as {@link withdraw}, and for a role as {@link invite} */
  async renew(id: string, actor: Actor): Promise<Invitation> {
    const { invitations, clock } = this.parts;
    const found = await this.#find(id);
    return this.#record('invitation renewal', found.email, actor, async () => {
      this.#requireOffered(found.role);
      await this.#refuseUsed(found);
      if (!(await commit(() => invitations.renew(id, new Date(clock.now()))))) {
        throw noInvitation();
      }
      await this.#mail(found);
      return this.#find(id);
    });
  }

  /**
   * Withdraws an invitation: its link is void.
   * @throws NotFoundError if nobody waits by it; ConflictError if it was used, or somebody registers with it at this moment
   */
  async withdraw(id: string, actor: Actor): Promise<Invitation> {
    const { invitations, clock } = this.parts;
    const found = await this.#find(id);
    return this.#record('invitation withdrawal', found.email, actor, async () => {
      await this.#refuseUsed(found);
      if (!(await commit(() => invitations.end(id, 'withdrawn', new Date(clock.now()))))) {
        throw new ConflictError('The invitation is being used, or has ended. Look again in a minute.');
      }
      return found;
    });
  }

  async #record(
    act: AuditedAct,
    email: string,
    actor: Actor,
    run: () => Promise<StoredInvitation>,
  ): Promise<Invitation> {
    const { audit, features } = this.parts;
    features.demand('invitations');
    return recordedByOperator(audit, { act, email }, actor, async () => ({
      result: toInvitation(await run()),
    }));
  }

  #requireOffered(role: InvitedRole): void {
    if (this.parts.registrationModes[role] === 'off') {
      throw new ValidationError({ role: broken('state', 'The registration of this role is off.') });
    }
  }

  async #find(id: string): Promise<StoredInvitation> {
    const found = await this.parts.invitations.find(id);
    if (!found || found.end === 'withdrawn') {
      throw noInvitation();
    }
    return found;
  }

  async #refuseUsed(found: StoredInvitation): Promise<void> {
    if (await this.parts.invitationUse.isUsed(found)) {
      throw new ConflictError('The invitation was used: its e-mail has an account.');
    }
  }

  /** The token is made when the mail is written. */
  async #mail({ _id, email }: StoredInvitation): Promise<void> {
    await this.parts.outbox.add({ kind: 'invitation', to: { email }, facts: { invitation: _id } });
  }
}

const noInvitation = () => new NotFoundError('No invitation of this id waits.');
