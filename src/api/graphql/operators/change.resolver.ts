import 'reflect-metadata';
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import {
  ACCOUNT_CHANGES,
  type ChangeAct,
  isGuarded,
  type OperatorChanges,
} from '../../../auth/operators/operator-changes.ts';
import type { GraphqlContext } from '../context.ts';
import { Characters } from '../limits/answer-size.ts';
import { Sensitive } from '../limits/operation-rules.ts';
import {
  AccountChangeInput,
  EmailCorrectionInput,
  RequestedActInput,
  ResendMailInput,
} from './operators.inputs.ts';
import { AccountDetailsType, presentDetails } from './operators.types.ts';

const WHICH = { description: 'Which account, and why.' };

/** A resolver with mutations of {@link ACCOUNT_CHANGES}. */
interface WithChanges {
  readonly changes: OperatorChanges;
}

/** Adds the mutation of a row, and decorates it like one that is written down. */
function define(prototype: WithChanges, act: ChangeAct): void {
  const { mutation, description } = ACCOUNT_CHANGES[act];
  const input = act === 'e-mail change' ? EmailCorrectionInput : AccountChangeInput;
  async function value(
    this: WithChanges,
    asked: AccountChangeInput,
    { caller }: GraphqlContext,
  ): Promise<AccountDetailsType> {
    return presentDetails(await this.changes.make(act, asked, caller));
  }
  Object.defineProperty(prototype, mutation, { value });
  // The compiler writes this down for methods.
  Reflect.defineMetadata('design:paramtypes', [input, Object], prototype, mutation);
  Arg('input', () => input, WHICH)(prototype, mutation, 0);
  Ctx()(prototype, mutation, 1);
  Mutation(() => AccountDetailsType, { description })(prototype, mutation, { value });
  Sensitive()(prototype, mutation, { value });
}

const ACTS = Object.keys(ACCOUNT_CHANGES) as ChangeAct[];

/** What operators change in the accounts of others. All need a proof of the second factor in the last 15 minutes. */
@Resolver()
export class OperatorChangeResolver {
  static {
    for (const act of ACTS.filter((one) => !isGuarded(one))) {
      define(OperatorChangeResolver.prototype, act);
    }
  }

  constructor(readonly changes: OperatorChanges) {}

  @Sensitive()
  @Characters(2_000_000)
  @Mutation(() => String, {
    description:
      'Everything that the gateway holds about a person, in JSON: what `exportMyData` answers, without links to documents. The account has another `version` afterwards.',
  })
  exportAccount(
    @Arg('input', () => AccountChangeInput, WHICH) input: AccountChangeInput,
    @Ctx() { caller }: GraphqlContext,
  ) {
    return this.changes.export(input, caller);
  }

  @Sensitive()
  @Mutation(() => AccountDetailsType, { description: 'Tries a waiting mail again at once.' })
  async resendMail(
    @Arg('input', () => ResendMailInput, WHICH) { mail, ...asked }: ResendMailInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AccountDetailsType> {
    return presentDetails(await this.changes.resendMail(mail, asked, caller));
  }
}

/** The acts that may need two operators, and the answers of the second. */
@Resolver()
export class GuardedActResolver {
  static {
    for (const act of ACTS.filter(isGuarded)) {
      define(GuardedActResolver.prototype, act);
    }
  }

  constructor(readonly changes: OperatorChanges) {}

  @Sensitive()
  @Mutation(() => AccountDetailsType, { description: 'Does the act that another operator has asked for.' })
  async confirmAct(
    @Arg('input', () => RequestedActInput, WHICH) { act, ...asked }: RequestedActInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AccountDetailsType> {
    return presentDetails(await this.changes.confirm(act, asked, caller));
  }

  @Sensitive()
  @Mutation(() => AccountDetailsType, { description: 'Declines the act that waits, or takes one back.' })
  async declineAct(
    @Arg('input', () => RequestedActInput, WHICH) { act, ...asked }: RequestedActInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AccountDetailsType> {
    return presentDetails(await this.changes.decline(act, asked, caller));
  }
}
