import { readFileSync } from 'node:fs';
import type { Connection } from 'mongoose';
import { parse } from 'yaml';
import { connect } from '../../../src/database/connect.ts';
import { LONG_LIMITS } from '../../support/database.ts';
import { type HttpResponse, send, sendJson } from '../../support/http.ts';
import { aSender } from '../../support/people.ts';
import { bearer } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';
import { assembleCast, type Cast, EVERYTHING } from './cast.ts';
import { Recorder } from './recorder.ts';
import type { Presenter, Row } from './rows.ts';
import { Spelling } from './spelling.ts';

/** Sends the input of a row. @param headers with the token, if there is one */
export type Sender = (fields: object, headers: Record<string, string>) => Promise<HttpResponse>;

/** The people of a test file, and its recorder. */
export interface Table {
  cast(): Cast;
  url(): string;
  recorder: Recorder;
}

/** A gateway with its people, which are the same again before each test of the file. */
export function useTable(): Table {
  let cast: Cast | undefined;
  let spelling: Spelling;
  let connection: Connection;
  const recorder = new Recorder(
    () => app.database.db,
    () => spelling,
  );
  const app = useTestApp(EVERYTHING);
  const running = (): Cast => {
    if (!cast) {
      throw new Error('the people exist only while the tests run');
    }
    return cast;
  };
  beforeAll(async () => {
    connection = await connect(app.database.uri, LONG_LIMITS);
    cast = await assembleCast(app, connection);
    spelling = new Spelling(() => testClock.now(), namesOf(cast));
    const usual = await send(`${app.url}/api/v1/user`, { headers: bearer(cast.patient.token) });
    // What a test does is later than what the people have done.
    testClock.move(1000);
    await recorder.keep(usual.headers);
  });
  afterEach(() => recorder.restore());
  afterAll(async () => {
    recorder.stop();
    await connection?.close();
  });
  return { cast: running, url: () => app.url, recorder };
}

/** How the values of the people are spelt. */
function namesOf(cast: Cast): Map<string, string> {
  const people = Object.entries(cast.people).flatMap(([name, { id, email, token }]) => [
    [token, `{token of ${name}}`],
    [token.slice(0, 24), `{token id of ${name}}`],
    [id, `{${name}}`],
    [email, `{email of ${name}}`],
  ]);
  const others = [
    [cast.passkeyId, '{passkey}'],
    [cast.waitingId, '{waiting}'],
    [cast.credentialId, '{credential}'],
  ];
  return new Map([...people, ...others] as [string, string][]);
}

/** A name, and how the request is prepared. */
type Case = [name: string, (cast: Cast, sendIt: Sender) => Promise<() => Promise<HttpResponse>>];

/**
 * Each kind of request to an operation: to all of them alike, and those of its row. Its name, and how it is sent.
 * @param needsFreshProof true for an API that takes only a proof of the last minutes for some operations
 */
export function casesOf({ as, others = [], right, wrong = {} }: Row, needsFreshProof = false): Case[] {
  const request =
    (input: Row['right'], token: (cast: Cast) => Promise<string> | string | undefined): Case[1] =>
    async (cast, sendIt) => {
      const fields = await input(cast);
      const presented = await token(cast);
      const headers = { ...aSender(), ...(presented !== undefined && bearer(presented)) };
      return () => sendIt(fields, headers);
    };
  const nothing = () => ({});
  const own = (cast: Cast) => (as === undefined ? undefined : cast.people[as].token);
  const isEmpty = right.length === 0 && Object.keys(right({} as Cast)).length === 0;
  const inputs: Case[] = Object.entries({ ...(!isEmpty && { nothing }), ...wrong }).map(([name, input]) => [
    `with ${name}`,
    request(input, own),
  ]);
  const cases: Case[] = [['with the right input', request(right, own)], ...inputs];
  if (as === undefined) {
    return cases;
  }
  const powerless = (cast: Cast) => cast.tokenFor(cast.people[as].id, []);
  const unknown = (cast: Cast) => cast.unknownToken;
  const old = (cast: Cast) => cast.tokenFor(cast.people[as].id, null, 3_600_000);
  const presented = others.map(
    (who): Case => [`by ${who}`, request(right, (cast) => cast.people[who as Presenter].token)],
  );
  const refused: Case[] = [
    ['without a token', request(right, () => undefined)],
    // The same for all. With input, who has no token and who has another one are enough.
    ...(isEmpty ? [['with an unknown token', request(right, unknown)] satisfies Case] : []),
    ['with a token that may do nothing', request(right, powerless)],
    ...(needsFreshProof ? [['with an old proof', request(right, old)] satisfies Case] : []),
  ];
  const twice: Case[] = [
    ['without a token, and with nothing', request(nothing, () => undefined)],
    ['with a token that may do nothing, and with nothing', request(nothing, powerless)],
  ];
  return [...cases, ...presented, ...refused, ...(isEmpty ? [] : twice)];
}

export interface Endpoint {
  method: string;
  path: string;
}

/** The endpoints of schema/openapi.yaml at some of its paths, by their `operationId`. */
export function endpointsOf(isWanted: (path: string) => boolean): Map<string, Endpoint> {
  const { paths } = parse(readFileSync('schema/openapi.yaml', 'utf8')) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  const found = Object.entries(paths)
    .filter(([path]) => isWanted(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ method, path, operationId })),
    );
  return new Map(
    found.flatMap(({ method, path, operationId }) =>
      operationId === undefined ? [] : [[operationId, { method: method.toUpperCase(), path }]],
    ),
  );
}

/** The names of the operations of a schema. */
export function operationsOf(file: string): string[] {
  const types = readFileSync(file, 'utf8').matchAll(/^type (?:Query|Mutation) \{\n(.*?)^\}/gms);
  return [...types].flatMap(([, body = '']) =>
    [...body.matchAll(/^ {2}(\w+)[(:]/gm)].map(([, name = '']) => name),
  );
}

/** The document of an operation in a typed client; undefined if it has none. */
export const documentOf = (client: object, name: string): unknown =>
  (client as Record<string, unknown>)[`${name.charAt(0).toUpperCase()}${name.slice(1)}Document`];

/** Sends variables with an operation. @param document of a typed client: fields are its variables, or those of its `input` */
export const graphqlSender =
  (address: string, document: unknown): Sender =>
  (fields, headers) => {
    const query = String(document);
    const { id, ...input } = fields as { id?: unknown };
    const variables = query.includes('$input') ? { ...(id !== undefined && { id }), input } : fields;
    return sendJson(address, { query, variables }, headers);
  };
