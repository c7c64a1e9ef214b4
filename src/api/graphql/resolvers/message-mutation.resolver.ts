import 'reflect-metadata';
import { Arg, Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { type MessageMutation, type MutationServices, permit } from '../../inputs/message-mutation.ts';
import { messageMutations } from '../../inputs/mutations.ts';
import type { GraphqlContext } from '../context.ts';
import { Sensitive } from '../limits/operation-rules.ts';
import { MessagePayload } from '../types/message-payload.type.ts';

/** The mutations that input classes declare. Each is a method of its name. */
@Resolver()
export class MessageMutationResolver {
  constructor(readonly services: MutationServices) {}
}

/** Adds the method of a mutation, and decorates it like one that is written down. */
function define(mutation: MessageMutation): void {
  const { name, type, input, description, message, isSensitive } = mutation;
  const { prototype } = MessageMutationResolver;
  async function resolve(
    this: MessageMutationResolver,
    given: object,
    { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    const run = await permit(mutation, this.services, caller);
    await run(given);
    return { message };
  }
  const descriptor = { value: resolve, writable: true, configurable: true };
  Object.defineProperty(prototype, name, descriptor);
  // The compiler writes these down for methods.
  Reflect.defineMetadata('design:paramtypes', [type, Object], prototype, name);
  Reflect.defineMetadata('design:returntype', Promise, prototype, name);
  const argument = input === undefined ? Args(() => type) : Arg('input', () => type, { description: input });
  argument(prototype, name, 0);
  Ctx()(prototype, name, 1);
  Mutation(() => MessagePayload, { description })(prototype, name, descriptor);
  if (isSensitive) {
    Sensitive()(prototype, name, descriptor);
  }
}

for (const mutation of messageMutations()) {
  define(mutation);
}
