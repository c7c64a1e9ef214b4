import {
  defaultFieldResolver,
  type GraphQLFieldConfigMap,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  printSchema,
} from 'graphql';
import { type AuthService, OtherAccount } from '../../../auth/auth-service.ts';
import type { ServiceAuthentication } from '../../../auth/service-authentication.ts';
import { InsufficientAccessError, InvalidServiceError } from '../../../system/errors/errors.ts';
import type { GraphqlContext } from '../context.ts';
import { LIMITS } from '../rules/limits.ts';
import { sizeOf } from '../rules/sizes.ts';
import { askingService } from './asking-service.ts';
import { findEntities } from './entities.ts';
import { ENTITY } from './representations.ts';

interface SubgraphParts {
  auth: AuthService;
  services: ServiceAuthentication;
  /** True if everybody may read the schema. */
  introspection: boolean;
}

/** What the schema says to the composition of a supergraph. Any version of Federation 2 can read it. */
const DIRECTIVES = `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key"])

extend type ${ENTITY} @key(fields: "id")
`;

/** The fields of an account that a service may read. All others are for its owner, also fields that are added later. */
const SHARED_FIELDS = ['id', 'name', 'role'];

/**
 * Makes a schema a subgraph of Apollo Federation 2, with `_service` and `_entities`.
 * https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec
 *
 * `@apollo/subgraph` would make a new schema from the printed one, and lose the extensions of its fields, such as the mark of
 * sensitive mutations. A part of it also has another license than this gateway (Elastic License 2.0).
 * @param schema of the gateway. The account type is changed
 */
export function asSubgraph(schema: GraphQLSchema, { auth, services, introspection }: SubgraphParts) {
  const { query, types, ...config } = schema.toConfig();
  const account = schema.getType(ENTITY);
  if (!query || !(account instanceof GraphQLObjectType)) {
    throw new Error(`a subgraph needs queries and the type ${ENTITY}`);
  }
  keepOthersPrivate(account);
  const serviceOf = askingService(services);
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
    fields: { ...fields, ...federationFields(account, readSdl, findEntities(auth, serviceOf)) },
  });
  return new GraphQLSchema({ ...config, query: federated, types: types.filter((type) => type !== query) });
}

/** About twice as long as it is. */
const SDL_CHARACTERS = 50_000;

/** Wraps the fields of an account, so that only its owner can read those that services may not. */
function keepOthersPrivate(account: GraphQLObjectType): void {
  for (const [name, field] of Object.entries(account.getFields())) {
    const { resolve = defaultFieldResolver } = field;
    if (!SHARED_FIELDS.includes(name)) {
      field.resolve = (source, args, context, info) => {
        if (source instanceof OtherAccount) {
          throw new InsufficientAccessError();
        }
        return resolve(source, args, context, info);
      };
    }
  }
}

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
