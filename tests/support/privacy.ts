import {
  DeleteMyAccountDocument,
  ExportMyDataDocument,
  type ExportMyDataQuery,
} from '../../packages/client/src/generated/graphql.ts';
import { openStorage } from '../../src/app/storage.ts';
import { AccountData } from '../../src/auth/account-data.ts';
import { AuditTrail } from '../../src/auth/audit/audit-trail.ts';
import { Erasure } from '../../src/auth/privacy/erasure.ts';
import type { StoredAuditEvent } from '../../src/stores/audit-event-record.ts';
import type { Clock } from '../../src/system/clock.ts';
import { createLog } from '../../src/system/log.ts';
import { configOn } from '../documents/support/aftermath.ts';
import { execute, type GraphqlError } from './graphql-api.ts';
import { rememberPassword } from './response-record.ts';
import { bearer } from './session.ts';
import type { TestApp } from './test-app.ts';

export type PersonalData = ExportMyDataQuery['exportMyData'];

/** Exports the data of a token's account. */
export async function exportData(url: string, token: string): Promise<{ data: PersonalData; text: string }> {
  const { http, body } = await execute(url, ExportMyDataDocument, {}, bearer(token));
  if (!body.data) {
    throw new Error(`no export: ${http.text}`);
  }
  return { data: body.data.exportMyData, text: http.text };
}

/** Closes the account of a token. */
export async function deleteAccount(
  url: string,
  token: string | undefined,
  password: unknown,
): Promise<{ erasedAfter?: string; message?: string; error?: GraphqlError | undefined }> {
  rememberPassword(password);
  const headers = token === undefined ? {} : bearer(token);
  const { body } = await execute(url, DeleteMyAccountDocument, { input: { password } }, headers);
  return body.data?.deleteMyAccount ?? { error: body.errors?.[0] };
}

export const auditEvents = ({ database }: Pick<TestApp, 'database'>) =>
  database.db.collection<StoredAuditEvent>('audit_events');

/** The events of the audit trail, in the order of their ids, which are made one after the other. */
export const trailOf = (app: Pick<TestApp, 'database'>, filter: object): Promise<StoredAuditEvent[]> =>
  auditEvents(app).find(filter).sort({ _id: 1 }).toArray();

const open: (() => Promise<void>)[] = [];

/** Closes what the tests have opened with {@link openEraser}, also if they have failed. */
export async function closeErasers(): Promise<void> {
  await Promise.all(open.splice(0).map((close) => close()));
}

/** Another instance on the data of an app, of which only the erasure runs. Call {@link closeErasers} after each test. */
export async function openEraser(app: TestApp, clock: Clock, settings: Record<string, string> = {}) {
  const config = configOn(app, settings);
  const lines: string[] = [];
  const log = createLog('debug', { write: (line) => void lines.push(line) });
  const storage = await openStorage(config, clock);
  const audit = new AuditTrail({
    auditEvents: storage.stores.auditEvents,
    auditRetentionMillis: undefined,
    clock,
    log,
  });
  const { stores, documents } = storage;
  const accountData = new AccountData(stores, log);
  const erasure = new Erasure({ stores, accountData, documents, audit, clock, log });
  const close = () => audit.close().finally(storage.close);
  open.push(close);
  return { erasure, storage, lines, close };
}
