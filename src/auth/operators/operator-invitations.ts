import type { AuditedAct } from '../../stores/audit-events.ts';
import type { Invitation, InvitationAdmin } from '../admin/invitation-admin.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { RecordedActs } from '../audit/recorded-acts.ts';
import type { Actor, Caller } from '../caller.ts';
import type { OperatorAccess } from './operator-access.ts';
import { actorOf } from './operator-changes.ts';

interface OperatorInvitationsParts {
  operatorAccess: OperatorAccess;
  invitationAdmin: InvitationAdmin;
  acts: RecordedActs;
  audit: AuditTrail;
}

/** Invitations by operators in a browser: each change needs a recent proof, and counts with their other changes. */
export class OperatorInvitations {
  constructor(private readonly parts: OperatorInvitationsParts) {}

  /** @throws as OperatorAccess.authorizeReading; TooManyAttemptsError */
  async waiting(caller: Caller): Promise<Invitation[]> {
    const { operatorAccess, invitationAdmin, audit } = this.parts;
    const operator = await operatorAccess.authorizeReading(caller);
    await operatorAccess.countOpened(operator, caller);
    const found = await caller.timeBudget.within(() => invitationAdmin.waiting());
    await audit.write({ act: 'reading', byAccountId: operator.id, cause: 'list of invitations' }, caller);
    return found;
  }

  /** Makes a change. @throws as OperatorAccess.authorizeChange; what the change throws */
  async change(
    act: AuditedAct,
    caller: Caller,
    run: (admin: InvitationAdmin, actor: Actor) => Promise<Invitation>,
  ): Promise<Invitation> {
    const { operatorAccess, invitationAdmin, acts } = this.parts;
    const operator = await operatorAccess.authorizeChange(caller, act);
    const actor = { ...actorOf(caller), accountId: operator.id };
    return acts.complete(caller, async () => ({
      result: await run(invitationAdmin, actor),
      written: Promise.resolve(),
    }));
  }
}
