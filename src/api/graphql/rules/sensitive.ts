import type { GraphQLField } from 'graphql';
import { Extensions } from 'type-graphql';

const EXTENSION = 'isSensitive';

/**
 * Marks a mutation that takes a password, issues a token or sends a mail, and a query that exports data or lists
 * doctors. An operation may have only one of them.
 */
export const Sensitive = (): MethodDecorator => Extensions({ [EXTENSION]: true });

/** True if a field of the schema is marked as {@link Sensitive}; false if there is no such field. */
export const isSensitive = (field: GraphQLField<unknown, unknown> | undefined): boolean =>
  field?.extensions[EXTENSION] === true;
