import { LeavingAdmin } from '../auth/admin/leaving-admin.ts';
import type { AuditTrail } from '../auth/audit/audit-trail.ts';
import type { RecordedActs } from '../auth/audit/recorded-acts.ts';
import { AccountData, Erasure, PastErasures } from '../auth/leaving/erasure.ts';
import { LeavingService } from '../auth/leaving/leaving-service.ts';
import { PersonalDataExport } from '../auth/leaving/personal-data.ts';
import type { OwnPassword } from '../auth/passwords/own-password.ts';
import type { ActThrottle } from '../auth/throttle/act-throttle.ts';
import type { Sessions } from '../auth/tokens/sessions.ts';
import type { Config } from '../config/config.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { Outbox } from '../mail/outbox.ts';
import type { Stores } from '../stores/stores.ts';
import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';

/** What the gateway and the command line have in common. */
interface LeavingParts {
  config: Pick<Config, 'erasureGraceMillis'>;
  log: Logger;
  storage: { stores: Stores; documents: DocumentStore };
  clock: Clock;
  audit: AuditTrail;
}

interface LeavingServiceParts extends LeavingParts {
  sessions: Sessions;
  acts: RecordedActs;
  actThrottle: ActThrottle;
  ownPassword: OwnPassword;
  outbox: Outbox;
}

/** Connects the parts that erase closed accounts. */
export function openErasure({ config, log, storage, clock, audit }: LeavingParts) {
  const { stores, documents } = storage;
  const { accounts } = stores;
  const accountData = new AccountData(stores);
  const past = new PastErasures(stores.auditEvents, stores.erasures, clock);
  const erasure = new Erasure({ stores, accountData, past, documents, audit, clock, log });
  const personalData = new PersonalDataExport(stores, accountData, clock);
  const { erasureGraceMillis } = config;
  return { accounts, accountData, erasure, personalData, erasureGraceMillis };
}

/** Connects what people can do with their data, and the erasure that follows. */
export function openLeaving(parts: LeavingServiceParts): { leaving: LeavingService; erasure: Erasure } {
  const shared = openErasure(parts);
  return { leaving: new LeavingService({ ...parts, ...shared }), erasure: shared.erasure };
}

/** Connects what operators do for people who leave. */
export const openLeavingAdmin = (parts: LeavingParts): LeavingAdmin =>
  new LeavingAdmin({ ...parts, ...openErasure(parts) });
