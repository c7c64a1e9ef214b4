import type { AuthService } from '../../../auth/auth-service.ts';
import type { OtherAccount } from '../../../auth/other-account.ts';
import type { Account } from '../../../stores/accounts.ts';
import { InsufficientAccessError, UnauthenticatedError } from '../../../system/errors/errors.ts';
import type { GraphqlContext } from '../context.ts';
import type { AskingService } from './asking-service.ts';
import { idsOf } from './representations.ts';

/** An error takes the place of its entity in the answer. */
type Entity = Account | OtherAccount | InsufficientAccessError | null;

/**
 * Finds the accounts that another subgraph refers to: the caller's own with all its fields, others only for a service and as
 * {@link OtherAccount}. Without a service, an account that exists and one that does not have the same error.
 */
export const findEntities =
  (auth: AuthService, serviceOf: AskingService) =>
  async (representations: readonly unknown[], context: GraphqlContext): Promise<Entity[]> => {
    const ids = idsOf(representations);
    const { caller } = context;
    const [service, session] = await Promise.all([serviceOf(context), auth.findSession(caller)]);
    if (service === undefined && session === undefined) {
      throw new UnauthenticatedError();
    }
    const own = session?.account;
    const isOwn = (id: string) => own !== undefined && id === String(own.id);
    if (service === undefined) {
      if (own && !ids.every(isOwn)) {
        auth.recordRefusedReading(own, caller);
      }
      return ids.map((id) => (own && isOwn(id) ? own : new InsufficientAccessError()));
    }
    const others = await auth.findOtherAccounts(
      ids.filter((id) => !isOwn(id)),
      caller,
    );
    return ids.map((id) => (own && isOwn(id) ? own : (others.get(id) ?? null)));
  };
