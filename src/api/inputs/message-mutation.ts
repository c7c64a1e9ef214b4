import type { AuthService } from '../../auth/auth-service.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Passwords } from '../../auth/passwords/passwords.ts';
import type { Need } from '../../auth/tokens/abilities.ts';
import type { Session } from '../../auth/tokens/access-tokens.ts';
import type { OwnTokens } from '../../auth/tokens/own-tokens.ts';
import type { InputClass } from './input-validator.ts';

/** The services that such mutations call. */
export interface MutationServices {
  auth: AuthService;
  passwords: Passwords;
  tokens: OwnTokens;
}

interface Facts {
  /** For readers of both contracts: sentences with their full stops. */
  description: string;
  /** What the argument `input` of the GraphQL field is; without it, the fields of the class are the arguments. */
  input?: string;
  /** The REST endpoint below `/api/v1/auth`, for POST. */
  path: `/${string}`;
  /** The tag and the title of the endpoint in a new entry of schema/openapi.yaml. */
  tag: string;
  summary: string;
  /** True if an operation of GraphQL may have it only once: it takes a password or a secret. */
  isSensitive?: boolean;
  /** The answer of both APIs: `message` in GraphQL, `status` in REST. */
  message: string;
}

/** For everybody. No token is looked at. `run` calls the one function of the service. */
interface Public<Input> {
  needs?: undefined;
  run(input: Input, services: MutationServices, caller: Caller): Promise<unknown>;
}

/** For callers whose access token has what the mutation needs. */
interface Authorized<Input> {
  needs: Need;
  run(input: Input, services: MutationServices, caller: Caller, session: Session): Promise<unknown>;
}

type Declaration<Input> = Facts & (Public<Input> | Authorized<Input>);

/** A mutation with an endpoint that answers nothing but a message. */
export type MessageMutation = Declaration<object> & {
  /** The name in GraphQL, and the `operationId` of the endpoint. */
  name: string;
  type: InputClass<object>;
};

/** Those of all input classes that are loaded: `mutations.ts` loads them. */
export const declaredMutations: MessageMutation[] = [];

/**
 * A class decorator that makes a mutation and an endpoint of an input class: of `RenameTokenInput` the mutation `renameToken`. The
 * resolver, the route, the entry in schema/openapi.yaml and the function of the client are made from it.
 */
export const Mutates =
  <Input extends object>(declaration: Declaration<Input>) =>
  (type: InputClass<Input>): void => {
    const name = type.name.replace(/Input$/, '').replace(/^./, (letter) => letter.toLowerCase());
    declaredMutations.push({ ...declaration, name, type } as MessageMutation);
  };

/**
 * Checks whether a caller may do a mutation.
 * @returns the mutation, for an input that has been checked
 * @throws UnauthenticatedError, MissingAbilityError
 */
export async function permit(
  mutation: MessageMutation,
  services: MutationServices,
  caller: Caller,
): Promise<(input: object) => Promise<unknown>> {
  if (mutation.needs === undefined) {
    return (input) => mutation.run(input, services, caller);
  }
  const session = await services.auth.authorize(mutation.needs, caller);
  return (input) => mutation.run(input, services, caller, session);
}
