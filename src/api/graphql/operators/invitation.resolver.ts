import 'reflect-metadata';
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { OperatorInvitations } from '../../../auth/operators/operator-invitations.ts';
import { MAX_INVITATIONS } from '../../../stores/invitations.ts';
import type { GraphqlContext } from '../context.ts';
import { Items } from '../limits/answer-size.ts';
import { Sensitive } from '../limits/operation-rules.ts';
import { OpenInvitationType } from '../types/invitation.type.ts';
import { InvitationIdArgs, InviteInput } from './operators.inputs.ts';

/** Invitations. No answer has their tokens. */
@Resolver()
export class InvitationResolver {
  constructor(private readonly invitations: OperatorInvitations) {}

  @Sensitive()
  @Items(MAX_INVITATIONS)
  @Query(() => [OpenInvitationType], {
    description: 'The invitations of people who have not registered, the newest first; at most 500.',
  })
  openInvitations(@Ctx() { caller }: GraphqlContext): Promise<OpenInvitationType[]> {
    return this.invitations.waiting(caller);
  }

  @Sensitive()
  @Mutation(() => OpenInvitationType, { description: 'Mails an invitation, which is valid for seven days.' })
  invite(
    @Arg('input', () => InviteInput, { description: 'Who is invited.' }) input: InviteInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<OpenInvitationType> {
    return this.invitations.change('invitation', caller, (admin, actor) => admin.invite({ ...input }, actor));
  }

  @Sensitive()
  @Mutation(() => OpenInvitationType, {
    description: 'Mails another link, valid for seven days from now. Earlier links are void.',
  })
  renewInvitation(
    @Args(() => InvitationIdArgs) { id }: InvitationIdArgs,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<OpenInvitationType> {
    return this.invitations.change('invitation renewal', caller, (admin, actor) => admin.renew(id, actor));
  }

  @Sensitive()
  @Mutation(() => OpenInvitationType, {
    description: 'Withdraws an invitation: its link is void. `CONFLICT` if it was used.',
  })
  withdrawInvitation(
    @Args(() => InvitationIdArgs) { id }: InvitationIdArgs,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<OpenInvitationType> {
    return this.invitations.change('invitation withdrawal', caller, (admin, actor) =>
      admin.withdraw(id, actor),
    );
  }
}
