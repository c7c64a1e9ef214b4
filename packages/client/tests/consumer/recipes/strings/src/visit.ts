import { graphql } from './gql';
import { ErrorCode, Role } from './gql/enums';
import type { TypedDocumentString } from './gql/graphql';

const RegisterPatient = graphql(`
  mutation RegisterPatient($input: RegisterPatientInput!) {
    registerPatient(input: $input) {
      account {
        name
        role
      }
    }
  }
`);

interface Answer<Data> {
  data?: Data | null;
  errors?: { extensions: { code: string } }[];
}

/** Compiles only if a text knows the types of its variables and its result. */
async function ask<Data, Variables>(
  url: string,
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
): Promise<Answer<Data>> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: document, variables }),
  });
  return response.json();
}

export async function visit(url: string, email: string) {
  const variables = { input: { name: 'Strings', email, password: 'correct horse' } };
  const { data } = await ask(url, RegisterPatient, variables);
  const again = await ask(url, RegisterPatient, variables);
  const account = data?.registerPatient.account;
  // @ts-expect-error: the query does not select it
  const unasked: unknown = account?.email;
  const isTakenEmailRefused = again.errors?.[0]?.extensions.code === ErrorCode.BAD_USER_INPUT;
  return [account?.name ?? unasked, { isPatient: account?.role === Role.PATIENT, isTakenEmailRefused }];
}
