import { Client, cacheExchange, fetchExchange, type OperationResult } from '@urql/core';
import type {
  LoginInput,
  RegisterDoctorInput,
  RegisterPatientInput,
  ResetPasswordInput,
} from './gql/graphql';
import * as operations from './operations';
import { Refusal } from './refusal';

let token: string | null = null;

const newClient = () =>
  new Client({
    url: 'http://127.0.0.1:4000/graphql',
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
    fetchOptions: () => ({
      headers: {
        // The gateway reads a multipart request only with this header, because forms of other sites cannot send it.
        'Apollo-Require-Preflight': 'true',
        ...(token && { Authorization: `Bearer ${token}` }),
      },
    }),
  });
export let client = newClient();

/** The data of an operation. */
async function dataOf<Data>(operation: PromiseLike<OperationResult<Data>>): Promise<Data> {
  const { data, error } = await operation;
  const [refusal] = error?.graphQLErrors ?? [];
  if (data && !error) {
    return data;
  }
  throw refusal ? new Refusal(refusal) : error;
}

/** From one account to another, or to none: the cache must not mix them up. */
function become<Session extends { token: string } | null>(session: Session): Session {
  token = session?.token ?? null;
  client = newClient();
  return session;
}

export async function registerPatient(input: RegisterPatientInput) {
  const data = await dataOf(client.mutation(operations.RegisterPatient, { input }));
  return become(data.registerPatient);
}

/** The three documents are `File`s, for example of `<input type="file">`. */
export async function registerDoctor(input: RegisterDoctorInput) {
  const data = await dataOf(client.mutation(operations.RegisterDoctor, { input }));
  return become(data.registerDoctor);
}

export async function login(input: LoginInput) {
  const data = await dataOf(client.mutation(operations.Login, { input }));
  return become(data.login);
}

export async function me() {
  const data = await dataOf(client.query(operations.Me, {}));
  return data.me;
}

export async function logout() {
  await dataOf(client.mutation(operations.Logout, {}));
  become(null);
}

export async function requestPasswordReset(email: string) {
  const data = await dataOf(client.mutation(operations.RequestPasswordReset, { email }));
  return data.requestPasswordReset.message;
}

/** @param input with the token of the link in the mail */
export async function resetPassword(input: ResetPasswordInput) {
  const data = await dataOf(client.mutation(operations.ResetPassword, { input }));
  return data.resetPassword.message;
}
