import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLFieldConfigMap,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  printSchema,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';
import { type AccountReader, OtherAccount } from '../../auth/account-reader.ts';
import type { ServiceAuthentication } from '../../auth/service-authentication.ts';
import type { Sessions } from '../../auth/tokens/sessions.ts';
import type { Account } from '../../stores/accounts.ts';
import { broken } from '../../system/error-details.ts';
import {
  InsufficientAccessError,
  InvalidServiceError,
  UnauthenticatedError,
  ValidationError,
} from '../../system/errors.ts';
import { serviceCredentialsOf } from '../http/request-caller.ts';
import { recordOf } from '../http/request-record.ts';
import type { GraphqlContext, MakeError, ResolvedRequest } from './context.ts';
import { BAD_REQUEST, typeErrorText } from './graphql-errors.ts';
import { sizeOf } from './limits/answer-size.ts';
import { LIMITS, LimitError } from './limits/limits.ts';
import { rootFieldsOf, withDefaults } from './operation.ts';

/** The only entity of this subgraph. */
const ENTITY = 'Account';

interface SubgraphParts {
  sessions: Sessions;
  accountReader: AccountReader;
  serviceAuthentication: ServiceAuthentication;
  /** True if everybody may read the schema. */
  introspection: boolean;
}

/** What the schema says to the composition of a supergraph. Any version of Federation 2 can read it. */
const DIRECTIVES = `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key"])

extend type ${ENTITY} @key(fields: "id")
`;

/**
 * Makes a schema a subgraph of Apollo Federation 2, with `_service` and `_entities`.
 * https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec
 *
 * `@apollo/subgraph` would make a new schema from the printed one, and lose the extensions of its fields, such as the mark of
 * sensitive mutations. A part of it also has another license than this gateway (Elastic License 2.0).
 * @param schema of the gateway. The account type is changed
 */
export function asSubgraph(
  schema: GraphQLSchema,
  { sessions, accountReader, serviceAuthentication, introspection }: SubgraphParts,
) {
  const { query, types, ...config } = schema.toConfig();
  const account = schema.getType(ENTITY);
  if (!query || !(account instanceof GraphQLObjectType)) {
    throw new Error(`a subgraph needs queries and the type ${ENTITY}`);
  }
  keepOthersPrivate(account);
  const serviceOf = askingService(serviceAuthentication);
  const sdl = printSchema(schema) + DIRECTIVES;
  const readSdl = async (context: GraphqlContext) => {
    if (!introspection && (await serviceOf(context)) === undefined) {
      throw new InvalidServiceError();
    }
    return { sdl };
  };
  const { fields, ...queryConfig } = query.toConfig();
  const federated = new GraphQLObjectType({
    ...queryConfig,
    fields: {
      ...fields,
      ...federationFields(account, readSdl, findEntities(sessions, accountReader, serviceOf)),
    },
  });
  return new GraphQLSchema({ ...config, query: federated, types: types.filter((type) => type !== query) });
}

/** The fields of an account that a service may read. All others are for its owner, also fields that are added later. */
const SHARED_FIELDS = ['id', 'name', 'role'];

/** Wraps the fields of an account, so that only its owner can read those that services may not. */
function keepOthersPrivate(account: GraphQLObjectType): void {
  for (const [name, field] of Object.entries(account.getFields())) {
    const { resolve = defaultFieldResolver } = field;
    if (!SHARED_FIELDS.includes(name)) {
      field.resolve = (source, args, context, info) => {
        if (source instanceof OtherAccount) {
          throw new InsufficientAccessError('role');
        }
        return resolve(source, args, context, info);
      };
    }
  }
}

/** About twice the length of the schema. */
const SDL_CHARACTERS = 50_000;

/** The two root fields of the specification. */
function federationFields(
  account: GraphQLObjectType,
  readSdl: (context: GraphqlContext) => Promise<{ sdl: string }>,
  entitiesOf: ReturnType<typeof findEntities>,
): GraphQLFieldConfigMap<unknown, GraphqlContext> {
  const service = new GraphQLObjectType({
    name: '_Service',
    description: 'This subgraph.',
    fields: {
      sdl: {
        type: GraphQLString,
        description: 'Its schema, with the directives of the federation.',
        extensions: sizeOf({ characters: SDL_CHARACTERS }),
      },
    },
  });
  const any = new GraphQLScalarType({
    name: '_Any',
    description: 'A reference to an entity: its `__typename` and its key.',
  });
  const entity = new GraphQLUnionType({ name: '_Entity', types: [account], resolveType: () => ENTITY });
  return {
    _service: {
      type: new GraphQLNonNull(service),
      description: 'The schema, for the composition of a supergraph.',
      resolve: (_source, _args, context) => readSdl(context),
    },
    _entities: {
      type: new GraphQLNonNull(new GraphQLList(entity)),
      description: 'The accounts that other subgraphs refer to, in the same order. Null for an unknown one.',
      args: {
        representations: {
          type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(any))),
          description: 'At most 100 references.',
        },
      },
      extensions: sizeOf({ items: { argument: 'representations', most: LIMITS.representations } }),
      resolve: (_source, { representations }, context) => entitiesOf(representations, context),
    },
  };
}

/** Finds out which service sends a request, if one does. */
type AskingService = (context: GraphqlContext) => Promise<string | undefined>;

/**
 * Authenticates the service that sends a request: once, however many fields ask.
 * @returns a function that returns the id of the service, or undefined if the request has no credentials of one. It throws
 *   InvalidServiceError or TooManyAttemptsError if the credentials are wrong
 */
function askingService(services: ServiceAuthentication): AskingService {
  const found = new WeakMap<GraphqlContext, ReturnType<AskingService>>();
  const find: AskingService = async ({ req, caller }) => {
    const credentials = serviceCredentialsOf(req);
    if (credentials === undefined) {
      return undefined;
    }
    const service = await services.authenticate(credentials, caller);
    recordOf(req).service = service;
    return service;
  };
  return (context) => {
    const known = found.get(context) ?? find(context);
    found.set(context, known);
    return known;
  };
}

/** An error takes the place of its entity in the response. */
type Entity = Account | OtherAccount | InsufficientAccessError | null;

/**
 * Finds the accounts that another subgraph refers to: the caller's own with all its fields, others only for a service and as
 * {@link OtherAccount}. Without a service, an account that exists and one that does not have the same error.
 */
const findEntities =
  (sessions: Sessions, reader: AccountReader, serviceOf: AskingService) =>
  async (representations: readonly unknown[], context: GraphqlContext): Promise<Entity[]> => {
    const ids = idsOf(representations);
    const { caller } = context;
    const [service, session] = await Promise.all([serviceOf(context), sessions.find(caller)]);
    if (service === undefined && session === undefined) {
      throw new UnauthenticatedError();
    }
    const own = session?.account;
    const isOwn = (id: string) => own !== undefined && id === String(own.id);
    if (service === undefined) {
      if (own && !ids.every(isOwn)) {
        reader.recordRefusal(own, caller);
      }
      return ids.map((id) => (own && isOwn(id) ? own : new InsufficientAccessError('role')));
    }
    const others = await reader.others(
      ids.filter((id) => !isOwn(id)),
      caller,
    );
    return ids.map((id) => (own && isOwn(id) ? own : (others.get(id) ?? null)));
  };

/**
 * Reads what another subgraph knows of the accounts that it refers to: `{ __typename: "Account", id: "…" }`. The values come
 * from other services, so they may be anything. Other fields are ignored.
 * @returns the ids in the same order. Numbers become texts, as for every `ID` of GraphQL
 * @throws ValidationError if one of them refers to no account. The text does not have the value
 */
function idsOf(representations: readonly unknown[]): string[] {
  return representations.map((representation) => {
    const { __typename, id } = Object(representation) as Record<string, unknown>;
    if (__typename === ENTITY && isId(id)) {
      return String(id);
    }
    throw new ValidationError({
      representations: broken(
        'format',
        'Each representation must have the __typename of an entity and its id.',
      ),
    });
  });
}

const isId = (value: unknown): value is string | number =>
  (typeof value === 'string' && value !== '') || Number.isSafeInteger(value);

/**
 * Limits the representations of all `_entities` of an operation, before any of its fields runs. The limit is for the operation,
 * not for the field: with aliases, one request could otherwise ask for many times as many.
 */
export function limitRepresentations({
  document,
  operation,
  request,
  schema,
}: ResolvedRequest): MakeError | undefined {
  if (operation?.operation !== 'query') {
    return undefined;
  }
  const input = variableOfInput(schema, operation);
  if (input) {
    return () =>
      new GraphQLError(typeErrorText(`Variable "$${input.variable.name.value}"`), {
        nodes: input,
        extensions: { code: 'BAD_USER_INPUT', ...BAD_REQUEST },
      });
  }
  const variables = withDefaults(operation, request.variables ?? {});
  const lists = rootFieldsOf(document, operation)
    .filter(({ name }) => name.value === '_entities')
    .flatMap((field) => field.arguments ?? [])
    .map(({ value }) => valueFromASTUntyped(value, variables));
  const count = lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 1), 0);
  return count > LIMITS.representations ? tooManyRepresentations : undefined;
}

const tooManyRepresentations = () =>
  new LimitError(`An operation must not have more than ${LIMITS.representations} representations.`, {
    extensions: { code: 'BAD_USER_INPUT', ...BAD_REQUEST },
  });

/**
 * A variable of an input type, which is refused. No field of a query takes one, but a representation in the document may contain a variable
 * of any type. graphql-js would print the whole value in each error about one of its keys: 0.15 s for 90 KB.
 */
const variableOfInput = (schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode) =>
  variableDefinitions.find(({ type }) => isInputObjectType(namedTypeOf(schema, type)));

/** The type inside lists and non-nulls. */
function namedTypeOf(
  schema: GraphQLSchema,
  node: VariableDefinitionNode['type'],
): GraphQLNamedType | undefined {
  return node.kind === Kind.NAMED_TYPE ? typeFromAST(schema, node) : namedTypeOf(schema, node.type);
}
