import 'reflect-metadata';
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { OwnPasskeys } from '../../../auth/passkeys/own-passkeys.ts';
import type { PasskeyLogin } from '../../../auth/passkeys/passkey-login.ts';
import {
  AddPasskeyInput,
  LoginWithPasskeyInput,
  PasskeyAddOptionsInput,
  PasskeyIdArgs,
  RemovePasskeyInput,
  RenamePasskeyInput,
} from '../../inputs/passkey.input.ts';
import type { GraphqlContext } from '../context.ts';
import { Sensitive } from '../limits/operation-rules.ts';
import { AuthPayload } from '../types/auth-payload.type.ts';
import { MessagePayload } from '../types/message-payload.type.ts';
import { MyPasskeysType, PasskeyOptionsType, PasskeyType } from '../types/passkey.type.ts';

const NOT_FOUND = '`NOT_FOUND` if the gateway has no passkeys.';

@Resolver()
export class PasskeyResolver {
  constructor(
    private readonly passkeys: OwnPasskeys,
    private readonly logins: PasskeyLogin,
  ) {}

  @Sensitive()
  @Query(() => PasskeyOptionsType, { description: `The options of a login. No access token. ${NOT_FOUND}` })
  async passkeyLoginOptions(): Promise<PasskeyOptionsType> {
    return { options: await this.logins.options() };
  }

  @Sensitive()
  @Mutation(() => AuthPayload, { description: `Logs in with a passkey, and nothing else. ${NOT_FOUND}` })
  loginWithPasskey(
    @Arg('input', () => LoginWithPasskeyInput, { description: 'The passkey.' })
    { credential }: LoginWithPasskeyInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AuthPayload> {
    return this.logins.run(credential, caller);
  }

  @Sensitive()
  @Query(() => PasskeyOptionsType, {
    description: `The options to prove the owner of the session by a passkey: \`credential\` of the inputs that ask for a password. ${NOT_FOUND}`,
  })
  async passkeyConfirmOptions(@Ctx() { caller }: GraphqlContext): Promise<PasskeyOptionsType> {
    return { options: await this.passkeys.confirmOptions(caller) };
  }

  @Sensitive()
  @Mutation(() => PasskeyOptionsType, {
    description: `The options to add a passkey. An account may have 20. ${NOT_FOUND}`,
  })
  async passkeyAddOptions(
    @Arg('input', () => PasskeyAddOptionsInput, { description: 'The password.' })
    input: PasskeyAddOptionsInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<PasskeyOptionsType> {
    return { options: await this.passkeys.addOptions(input, caller) };
  }

  @Sensitive()
  @Mutation(() => PasskeyType, {
    description: `Adds a passkey. The password still works as before. ${NOT_FOUND}`,
  })
  addPasskey(
    @Arg('input', () => AddPasskeyInput, { description: 'The passkey.' }) input: AddPasskeyInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<PasskeyType> {
    return this.passkeys.add(input, caller);
  }

  @Sensitive()
  @Query(() => MyPasskeysType, { description: `The passkeys of the account. ${NOT_FOUND}` })
  myPasskeys(@Ctx() { caller }: GraphqlContext): Promise<MyPasskeysType> {
    return this.passkeys.list(caller);
  }

  @Mutation(() => PasskeyType, { description: `Gives a passkey another name. ${NOT_FOUND}` })
  renamePasskey(
    @Args(() => PasskeyIdArgs) { id = '' }: PasskeyIdArgs,
    @Arg('input', () => RenamePasskeyInput, { description: 'The name.' }) { name }: RenamePasskeyInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<PasskeyType> {
    return this.passkeys.rename(id, name, caller);
  }

  @Sensitive()
  @Mutation(() => MessagePayload, {
    description: `Removes a passkey. Sessions that were opened with it stay. \`FORBIDDEN\` for the last second factor where the operators ask for one. ${NOT_FOUND}`,
  })
  async removePasskey(
    @Args(() => PasskeyIdArgs) { id = '' }: PasskeyIdArgs,
    @Arg('input', () => RemovePasskeyInput, { description: 'The password and a code.' })
    input: RemovePasskeyInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    await this.passkeys.remove(id, input, caller);
    return { message: 'The passkey has been removed.' };
  }
}
