import type { LimitedConnection } from '../database/exchange-limit.ts';
import { AccessTokenStore } from './access-tokens.ts';
import { accountSchema } from './account-record.ts';
import { AccountStore } from './accounts.ts';
import { AttemptStore } from './attempts.ts';
import { AuditEventStore } from './audit-events.ts';
import { ChallengeStore } from './challenges.ts';
import { doctorProfileSchema } from './doctor-profile-record.ts';
import { DoctorStore } from './doctors.ts';
import { EmailLinkStore } from './email-links.ts';
import { ErasureStore } from './erasures.ts';
import { EventNoteStore } from './event-notes.ts';
import { EventStore } from './events.ts';
import { FactorStore } from './factors.ts';
import { IdStore } from './ids.ts';
import { InvitationStore } from './invitations.ts';
import { MessageStore } from './messages.ts';
import { OperatorActStore } from './operator-acts.ts';
import { OverviewStore } from './overviews.ts';
import { PasskeyStore } from './passkeys.ts';
import { ResetTokenStore } from './reset-tokens.ts';
import { SecretStore } from './secrets.ts';
import { WebhookStore } from './webhooks.ts';

/** @param database the connection must be open. All exchanges of the stores have its limit */
export function openStores(database: LimitedConnection) {
  const accounts = new AccountStore(database);
  return {
    accessTokens: new AccessTokenStore(database),
    accounts,
    attempts: new AttemptStore(database),
    auditEvents: new AuditEventStore(database),
    challenges: new ChallengeStore(database),
    doctors: new DoctorStore(database, accounts),
    emailLinks: new EmailLinkStore(database),
    erasures: new ErasureStore(database),
    eventNotes: {
      accounts: new EventNoteStore(database, accountSchema),
      profiles: new EventNoteStore(database, doctorProfileSchema),
    },
    events: new EventStore(database),
    factors: new FactorStore(database),
    ids: new IdStore(database),
    invitations: new InvitationStore(database),
    messages: new MessageStore(database),
    operatorActs: new OperatorActStore(database),
    overviews: new OverviewStore(database),
    passkeys: new PasskeyStore(database),
    resetTokens: new ResetTokenStore(database),
    secrets: new SecretStore(database),
    webhooks: new WebhookStore(database),
  };
}

/** The stored things, each with its store. */
export type Stores = ReturnType<typeof openStores>;
