import 'reflect-metadata';
import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { OperatorQueries } from '../../../auth/operators/operator-queries.ts';
import { MAX_REQUESTED } from '../../../stores/operator-acts.ts';
import type { GraphqlContext } from '../context.ts';
import { Items } from '../limits/answer-size.ts';
import { Sensitive } from '../limits/operation-rules.ts';
import { AccountArgs, AccountsArgs, AuditEventsArgs } from './operators.inputs.ts';
import {
  AccountDetailsType,
  AccountPageType,
  AuditEventPageType,
  OverviewType,
  presentAccounts,
  presentDetails,
  presentEvents,
  presentOverview,
  presentWaiting,
  WaitingActType,
} from './operators.types.ts';

/** What operators read. An operation reads one of these at a time. */
@Resolver()
export class OperatorReadResolver {
  constructor(private readonly queries: OperatorQueries) {}

  @Query(() => OverviewType, { description: 'What there is to do, and whether the gateway works.' })
  async overview(@Ctx() { caller }: GraphqlContext): Promise<OverviewType> {
    return presentOverview(await this.queries.overview(caller));
  }

  @Sensitive()
  @Query(() => AccountPageType, { description: 'Accounts. The audit trail has the number of results.' })
  async accounts(
    @Args(() => AccountsArgs) args: AccountsArgs,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AccountPageType> {
    return presentAccounts(await this.queries.accountsPage(args.toQuery(), caller));
  }

  @Sensitive()
  @Query(() => AccountDetailsType, {
    nullable: true,
    description: 'One account; null if nobody has the id. At most 600 an hour.',
  })
  async account(
    @Args(() => AccountArgs) { id }: AccountArgs,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AccountDetailsType | null> {
    const found = await this.queries.account(id, caller);
    return found ? presentDetails(found) : null;
  }

  @Sensitive()
  @Query(() => AuditEventPageType, { description: 'Events of the audit trail, the newest first.' })
  async auditEvents(
    @Args(() => AuditEventsArgs) args: AuditEventsArgs,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AuditEventPageType> {
    return presentEvents(await this.queries.auditEvents(args.toQuery(), caller));
  }

  @Sensitive()
  @Items(MAX_REQUESTED)
  @Query(() => [WaitingActType], {
    description: 'The acts that wait for another operator, the oldest first.',
  })
  async waitingActs(@Ctx() { caller }: GraphqlContext): Promise<WaitingActType[]> {
    return (await this.queries.waitingActs(caller)).map(presentWaiting);
  }
}
