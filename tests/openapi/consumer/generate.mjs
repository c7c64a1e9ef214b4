import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

// Files are texts to JSON Schema; to a program they are blobs.
const blob = ts.factory.createTypeReferenceNode('Blob');
const document = readFileSync(process.argv[2], 'utf8');
const types = await openapiTS(document, {
  transform: ({ format }) => (format === 'binary' ? blob : undefined),
});
writeFileSync('schema.ts', astToString(types));
