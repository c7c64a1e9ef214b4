import { GraphQLError, GraphQLScalarType } from 'graphql';
import { ReceivedFile } from '../../documents/quarantine.ts';

const mustBeFile = () => new GraphQLError('Upload must be a file of a multipart request.');

/**
 * A file of a GraphQL multipart request. The file has been received whole before a resolver runs. The scalar of
 * graphql-upload is a stream instead, and the request hangs unless every resolver reads it.
 */
export const Upload = new GraphQLScalarType<ReceivedFile, never>({
  name: 'Upload',
  description: 'A file, sent as the GraphQL multipart request specification says.',
  specifiedByURL: 'https://github.com/jaydenseric/graphql-multipart-request-spec',
  parseValue(value) {
    if (!(value instanceof ReceivedFile)) {
      throw mustBeFile();
    }
    return value;
  },
  parseLiteral() {
    throw mustBeFile();
  },
  serialize() {
    throw mustBeFile();
  },
});
