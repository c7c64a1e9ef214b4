import type { GraphqlBody } from './graphql-api.ts';
import { type HttpResponse, jsonOf, sendJson } from './http.ts';
import { APPOINTMENTS, basic, SERVICES } from './services.ts';

/** The settings of a subgraph with one service that may ask. */
export const SUBGRAPH = { ...SERVICES, FEDERATION: 'on' };

/** The header of a service beside the `Authorization` of its caller. */
export const asService = (secret: string = APPOINTMENTS.secret) => ({
  'X-Service-Authorization': basic(APPOINTMENTS.id, secret).Authorization,
});

/** What another subgraph knows of an account. */
export const reference = (id: unknown) => ({ __typename: 'Account', id });

type Entity = Record<string, unknown> | null;
export type EntitiesBody = GraphqlBody<{ _entities: Entity[] }>;

/** Asks as a router does. */
export const askEntities = (
  url: string,
  representations: unknown,
  headers: Record<string, string> = asService(),
  fields = 'id name role',
): Promise<HttpResponse> => {
  const query = `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Account { ${fields} } } }`;
  return sendJson(`${url}/graphql`, { query, variables: { r: representations } }, headers);
};

/** The accounts of these ids. */
export async function entities(
  url: string,
  ids: readonly unknown[],
  headers?: Record<string, string>,
  fields?: string,
): Promise<EntitiesBody> {
  return jsonOf<EntitiesBody>(await askEntities(url, ids.map(reference), headers, fields));
}

/** The code and the text of each error. */
export const errorsIn = ({ errors = [] }: GraphqlBody<unknown>) =>
  errors.map(({ message, extensions }) => [extensions?.code, message]);
