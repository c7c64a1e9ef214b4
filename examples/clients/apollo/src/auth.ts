import { ApolloClient, ApolloLink, CombinedGraphQLErrors, InMemoryCache } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import UploadHttpLink from 'apollo-upload-client/UploadHttpLink.mjs';
import type {
  LoginInput,
  RegisterDoctorInput,
  RegisterPatientInput,
  ResetPasswordInput,
} from './gql/graphql';
import * as operations from './operations';
import { Refusal } from './refusal';

let token: string | null = null;

const authorization = new SetContextLink(({ headers }) => ({
  headers: { ...headers, ...(token && { Authorization: `Bearer ${token}` }) },
}));
// The gateway reads a multipart request only with this header, because forms of other sites cannot send it.
const http = new UploadHttpLink({
  uri: 'http://127.0.0.1:4000/graphql',
  headers: { 'Apollo-Require-Preflight': 'true' },
});
export const client = new ApolloClient({
  link: ApolloLink.from([authorization, http]),
  cache: new InMemoryCache(),
});

/** The data of an operation. */
async function dataOf<Data>(operation: Promise<{ data?: Data | undefined }>): Promise<Data> {
  const { data } = await operation.catch((error: unknown) => {
    throw CombinedGraphQLErrors.is(error) && error.errors[0] ? new Refusal(error.errors[0]) : error;
  });
  if (!data) {
    throw new Error('no data');
  }
  return data;
}

/** From one account to another, or to none: the cache must not mix them up. */
async function become<Session extends { token: string } | null>(session: Session): Promise<Session> {
  token = session?.token ?? null;
  await client.clearStore();
  return session;
}

export async function registerPatient(input: RegisterPatientInput) {
  const data = await dataOf(client.mutate({ mutation: operations.RegisterPatient, variables: { input } }));
  return become(data.registerPatient);
}

/** The three documents are `File`s, for example of `<input type="file">`. */
export async function registerDoctor(input: RegisterDoctorInput) {
  const data = await dataOf(client.mutate({ mutation: operations.RegisterDoctor, variables: { input } }));
  return become(data.registerDoctor);
}

export async function login(input: LoginInput) {
  const data = await dataOf(client.mutate({ mutation: operations.Login, variables: { input } }));
  return become(data.login);
}

export async function me() {
  const data = await dataOf(client.query({ query: operations.Me }));
  return data.me;
}

export async function logout() {
  await dataOf(client.mutate({ mutation: operations.Logout }));
  await become(null);
}

export async function requestPasswordReset(email: string) {
  const data = await dataOf(
    client.mutate({ mutation: operations.RequestPasswordReset, variables: { email } }),
  );
  return data.requestPasswordReset.message;
}

/** @param input with the token of the link in the mail */
export async function resetPassword(input: ResetPasswordInput) {
  const data = await dataOf(client.mutate({ mutation: operations.ResetPassword, variables: { input } }));
  return data.resetPassword.message;
}
