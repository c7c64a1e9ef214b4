import { ValidationError } from '../../../system/errors.ts';

/** The only entity of this subgraph. */
export const ENTITY = 'Account';

/**
 * Reads what another subgraph knows of the accounts that it refers to: `{ __typename: "Account", id: "…" }`. The values come
 * from other services, so they may be anything. Other fields are ignored.
 * @returns the ids in the same order. Numbers become texts, as for every `ID` of GraphQL
 * @throws ValidationError if one of them refers to no account. The text does not have the value
 */
export function idsOf(representations: readonly unknown[]): string[] {
  return representations.map((representation) => {
    const { __typename, id } = Object(representation) as Record<string, unknown>;
    if (__typename === ENTITY && isId(id)) {
      return String(id);
    }
    throw new ValidationError({
      representations: ['Each representation must have the __typename of an entity and its id.'],
    });
  });
}

const isId = (value: unknown): value is string | number =>
  (typeof value === 'string' && value !== '') || Number.isSafeInteger(value);
