import * as console from '../../../pages/console/generated/graphql.ts';
import { OPERATOR_ROWS } from './operator-rows.ts';
import { casesOf, documentOf, graphqlSender, operationsOf, useTable } from './table.ts';

// The operators' API, as operations.test.ts has the others.

const table = useTable();

/** The console asks for no `operator` alone. */
const queryOf = (name: string) => documentOf(console, name) ?? `query { ${name} { id name email role } }`;

test('each operation has a row', () => {
  expect(Object.keys(OPERATOR_ROWS).sort()).toEqual(operationsOf('schema/operators.graphql').sort());
});

describe.each(Object.entries(OPERATOR_ROWS))('%s', (name, row) => {
  test.each(casesOf(row, true))('%s', async (_, prepare) => {
    const address = `${table.url()}/operators/graphql`;
    const request = await prepare(table.cast(), graphqlSender(address, queryOf(name)));
    expect(await table.recorder.record(request)).toMatchSnapshot();
  });
});
