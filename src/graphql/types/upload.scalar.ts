import { GraphQLError, GraphQLScalarType } from 'graphql';
import { ReceivedFile } from '../../documents/received-file.ts';

const mustBeFile = () => new GraphQLError('Upload must be a file of a multipart request.');

/**
 * The file of a GraphQL multipart request. By the time a resolver sees it, the file has been received whole: unlike
 * graphql-upload's scalar, whose value is a stream that stalls the request unless every resolver reads it.
 */
export const Upload = new GraphQLScalarType<ReceivedFile, never>({
  name: 'Upload',
  description: 'A file, sent as the GraphQL multipart request specification says.',
  specifiedByURL: 'https://github.com/jaydenseric/graphql-multipart-request-spec',
  parseValue(value) {
    if (!(value instanceof ReceivedFile)) throw mustBeFile();
    return value;
  },
  parseLiteral() {
    throw mustBeFile();
  },
  serialize() {
    throw mustBeFile();
  },
});
