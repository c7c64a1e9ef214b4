import { GraphQLError } from 'graphql';
import { formatGraphqlError } from '../../src/graphql/error-formatter.ts';

const UNEXPECTED = { message: 'Server Error', extensions: { code: 'INTERNAL_SERVER_ERROR' } };
const SECRET = 'hunter2-hunter2';

/** As Apollo calls it. */
const format = (thrown: GraphQLError) => {
  const { code = 'INTERNAL_SERVER_ERROR' } = thrown.extensions;
  return formatGraphqlError(true)({ ...thrown.toJSON(), extensions: { ...thrown.extensions, code } }, thrown);
};

test.each(['BAD_USER_INPUT', 'BAD_REQUEST', 'GRAPHQL_VALIDATION_FAILED'])(
  'a resolver’s error is no request error because it has the code %s',
  (code) => {
    const error = new GraphQLError(SECRET, { path: ['login'], extensions: { code } });
    expect(format(error)).toEqual({ ...UNEXPECTED, path: ['login'] });
  },
);

test('an error of the server from before the operation ran is not told', () => {
  const error = new GraphQLError(SECRET, { originalError: new Error(SECRET) });
  expect(format(error)).toEqual(UNEXPECTED);
});

test('an error of graphql-js from before the operation ran is the request’s', () => {
  const message = 'Schema is not configured to execute subscription operation.';
  expect(format(new GraphQLError(message))).toEqual({ message, extensions: { code: 'BAD_USER_INPUT' } });
});
