import 'reflect-metadata';
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { OwnPasskeys } from '../../../auth/passkeys/own-passkeys.ts';
import type { PasskeyLogin } from '../../../auth/passkeys/passkey-login.ts';
import type { Sessions } from '../../../auth/tokens/sessions.ts';
import type { EnrolmentAccess } from '../../../auth/two-factor/enrolment-access.ts';
import { OPERATIONS } from '../../inputs/operations.ts';
import {
  AddPasskeyInput,
  LoginWithPasskeyInput,
  PasskeyAddOptionsInput,
  PasskeyIdArgs,
  RemovePasskeyInput,
  RenamePasskeyInput,
} from '../../inputs/passkey.input.ts';
import type { GraphqlContext } from '../context.ts';
import { AuthPayload } from '../types/auth-payload.type.ts';
import { MessagePayload } from '../types/message-payload.type.ts';
import { MyPasskeysType, PasskeyOptionsType, PasskeyType } from '../types/passkey.type.ts';

const NOT_FOUND = '`NOT_FOUND` if the gateway has no passkeys.';

interface PasskeyParts {
  sessions: Sessions;
  enrolmentAccess: EnrolmentAccess;
  ownPasskeys: OwnPasskeys;
  passkeyLogin: PasskeyLogin;
}

@Resolver()
export class PasskeyResolver {
  constructor(private readonly parts: PasskeyParts) {}

  @Query(() => PasskeyOptionsType, { description: `The options of a login. No access token. ${NOT_FOUND}` })
  async passkeyLoginOptions(): Promise<PasskeyOptionsType> {
    return { options: await this.parts.passkeyLogin.options() };
  }

  @Mutation(() => AuthPayload, { description: `Logs in with a passkey, and nothing else. ${NOT_FOUND}` })
  loginWithPasskey(
    @Arg('input', () => LoginWithPasskeyInput, { description: 'The passkey.' })
    { credential }: LoginWithPasskeyInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AuthPayload> {
    return this.parts.passkeyLogin.run(credential, caller);
  }

  @Query(() => PasskeyOptionsType, {
    description: `The options to prove the owner of the session by a passkey: \`credential\` of the inputs that ask for a password. ${NOT_FOUND}`,
  })
  async passkeyConfirmOptions(@Ctx() { caller }: GraphqlContext): Promise<PasskeyOptionsType> {
    const session = await this.parts.sessions.authorize(OPERATIONS.passkeyConfirmOptions, caller);
    return { options: await this.parts.ownPasskeys.confirmOptions(session, caller) };
  }

  @Mutation(() => PasskeyOptionsType, {
    description: `The options to add a passkey. An account may have 20. ${NOT_FOUND}`,
  })
  async passkeyAddOptions(
    @Arg('input', () => PasskeyAddOptionsInput, { description: 'The password.' })
    { challenge, ...input }: PasskeyAddOptionsInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<PasskeyOptionsType> {
    const { passkeyAddOptions } = OPERATIONS;
    const admitted = await this.parts.enrolmentAccess.authorize(passkeyAddOptions, challenge, caller);
    return { options: await this.parts.ownPasskeys.addOptions(input, admitted, caller) };
  }

  @Mutation(() => PasskeyType, {
    description: `Adds a passkey. The password still works as before. ${NOT_FOUND}`,
  })
  async addPasskey(
    @Arg('input', () => AddPasskeyInput, { description: 'The passkey.' })
    { challenge, ...input }: AddPasskeyInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<PasskeyType> {
    const admitted = await this.parts.enrolmentAccess.authorize(OPERATIONS.addPasskey, challenge, caller);
    return this.parts.ownPasskeys.add(input, admitted, caller);
  }

  @Query(() => MyPasskeysType, { description: `The passkeys of the account. ${NOT_FOUND}` })
  async myPasskeys(@Ctx() { caller }: GraphqlContext): Promise<MyPasskeysType> {
    return this.parts.ownPasskeys.list(
      await this.parts.sessions.authorize(OPERATIONS.myPasskeys, caller),
      caller,
    );
  }

  @Mutation(() => PasskeyType, { description: `Gives a passkey another name. ${NOT_FOUND}` })
  async renamePasskey(
    @Args(() => PasskeyIdArgs) { id = '' }: PasskeyIdArgs,
    @Arg('input', () => RenamePasskeyInput, { description: 'The name.' }) { name }: RenamePasskeyInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<PasskeyType> {
    const session = await this.parts.sessions.authorize(OPERATIONS.renamePasskey, caller);
    return this.parts.ownPasskeys.rename(id, name, session, caller);
  }

  @Mutation(() => MessagePayload, {
    description: `Removes a passkey. Sessions that were opened with it stay. \`FORBIDDEN\` for the last second factor where the operators ask for one. ${NOT_FOUND}`,
  })
  async removePasskey(
    @Args(() => PasskeyIdArgs) { id = '' }: PasskeyIdArgs,
    @Arg('input', () => RemovePasskeyInput, { description: 'The password and a code.' })
    input: RemovePasskeyInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    const session = await this.parts.sessions.authorize(OPERATIONS.removePasskey, caller);
    await this.parts.ownPasskeys.remove(id, input, session, caller);
    return { message: 'The passkey has been removed.' };
  }
}
