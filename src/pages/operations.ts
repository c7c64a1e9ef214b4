import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type DocumentNode, Kind, parse, print, separateOperations } from 'graphql';
import { PACKAGE_ROOT } from './assets.ts';

/** An operation that is ready to run. */
export interface ExampleOperation {
  query: string;
  /** As JSON. Each file is null, and the page offers to choose one there. */
  variables?: string;
}

/** Moves the operation before its fragments, because people read it first. */
const operationFirst = ({ definitions, ...document }: DocumentNode): DocumentNode => ({
  ...document,
  definitions: [
    ...definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION),
    ...definitions.filter(({ kind }) => kind !== Kind.OPERATION_DEFINITION),
  ],
});

/** Reads `schema/operations`: every operation with its fragments and its example variables. */
export async function readOperations(): Promise<ExampleOperation[]> {
  const folder = path.join(PACKAGE_ROOT, 'schema/operations');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.graphql')).sort();
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  const examples: Record<string, unknown> = JSON.parse(
    await readFile(path.join(PACKAGE_ROOT, 'pages/graphiql/example-variables.json'), 'utf8'),
  );
  return Object.entries(separateOperations(parse(texts.join('\n')))).map(([name, document]) => ({
    query: print(operationFirst(document)),
    ...(name in examples && { variables: JSON.stringify(examples[name], null, 2) }),
  }));
}
