import { GraphQLError } from 'graphql';
import { formatGraphqlError } from '../../../src/api/graphql/graphql-errors.ts';

const UNEXPECTED = { message: 'Server Error', extensions: { code: 'INTERNAL_SERVER_ERROR' } };
const SECRET = 'hunter2-hunter2';

/** Calls the formatter as Apollo does. */
const format = (thrown: GraphQLError) => {
  const { code = 'INTERNAL_SERVER_ERROR' } = thrown.extensions;
  return formatGraphqlError(true)({ ...thrown.toJSON(), extensions: { ...thrown.extensions, code } }, thrown);
};

test.each(['BAD_USER_INPUT', 'BAD_REQUEST', 'GRAPHQL_VALIDATION_FAILED'])(
  'the code %s does not make an error of a resolver a request error',
  (code) => {
    const error = new GraphQLError(SECRET, { path: ['login'], extensions: { code } });
    expect(format(error)).toEqual({ ...UNEXPECTED, path: ['login'] });
  },
);

test('an error of the server before the operation ran is shown as an unexpected error', () => {
  const error = new GraphQLError(SECRET, { originalError: new Error(SECRET) });
  expect(format(error)).toEqual(UNEXPECTED);
});
