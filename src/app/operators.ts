import type { GraphqlApi } from '../api/graphql/graphql-api.ts';
import { openOperatorApi } from '../api/graphql/operators/operator-api.ts';
import { ErasureAdmin } from '../auth/admin/erasure-admin.ts';
import { OperatorAccess } from '../auth/operators/operator-access.ts';
import { OperatorChanges } from '../auth/operators/operator-changes.ts';
import { OperatorInvitations } from '../auth/operators/operator-invitations.ts';
import { OperatorQueries } from '../auth/operators/operator-queries.ts';
import { SetUp } from '../auth/operators/set-up.ts';
import { ownVersion } from '../system/own-package.ts';
import { openAdministration } from './administration.ts';
import type { ApiParts } from './api-parts.ts';

/** Builds the operators' API. It is loaded only if it is on. */
export function openOperators(parts: ApiParts): Promise<GraphqlApi> {
  const access = {
    ...parts,
    ...openAdministration(parts),
    operatorAccess: new OperatorAccess(parts),
    erasureAdmin: new ErasureAdmin(parts),
    status: () => statusOf(parts),
  };
  const staff = { ...access, operatorQueries: new OperatorQueries(access), setUp: new SetUp(access) };
  return openOperatorApi({
    ...staff,
    operatorChanges: new OperatorChanges(staff),
    operatorInvitations: new OperatorInvitations(staff),
  });
}

/** What the process says of itself. */
async function statusOf({ transport, messages, health, backups }: ApiParts) {
  const lastTakenAt = backups?.figures.lastTakenAt;
  const [{ checks }, waitingMails] = await Promise.all([
    health.readiness(),
    transport ? messages.count() : null,
  ]);
  return {
    waitingMails,
    lastBackupAt: lastTakenAt === undefined ? null : new Date(lastTakenAt),
    problems: Object.entries(checks)
      .filter(([, state]) => state !== 'ok')
      .map(([name, state]) => `${name} ${state}`),
    version: ownVersion(),
  };
}
