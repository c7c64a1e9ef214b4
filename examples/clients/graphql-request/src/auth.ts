import { ClientError, GraphQLClient } from 'graphql-request';
import { sendFiles } from './files';
import type {
  LoginInput,
  RegisterDoctorInput,
  RegisterPatientInput,
  ResetPasswordInput,
} from './gql/graphql';
import * as operations from './operations';
import { Refusal } from './refusal';

let token: string | null = null;

export const client = new GraphQLClient('http://127.0.0.1:4000/graphql', {
  headers: (): Record<string, string> => (token ? { Authorization: `Bearer ${token}` } : {}),
  requestMiddleware: sendFiles,
});

/** The data of an operation. */
const dataOf = <Data>(operation: Promise<Data>): Promise<Data> =>
  operation.catch((error: unknown) => {
    if (!(error instanceof ClientError)) {
      throw error;
    }
    // The message of a ClientError contains the whole request, with the password.
    const { errors, status } = error.response;
    throw errors?.[0] ? new Refusal(errors[0]) : new Error(`The gateway answered ${status}.`);
  });

function become<Session extends { token: string }>(session: Session): Session {
  token = session.token;
  return session;
}

export async function registerPatient(input: RegisterPatientInput) {
  const data = await dataOf(client.request(operations.RegisterPatient, { input }));
  return become(data.registerPatient);
}

/** The three documents are `File`s, for example of `<input type="file">`. */
export async function registerDoctor(input: RegisterDoctorInput) {
  const data = await dataOf(client.request(operations.RegisterDoctor, { input }));
  return become(data.registerDoctor);
}

export async function login(input: LoginInput) {
  const data = await dataOf(client.request(operations.Login, { input }));
  return become(data.login);
}

export async function me() {
  const data = await dataOf(client.request(operations.Me));
  return data.me;
}

export async function logout() {
  await dataOf(client.request(operations.Logout));
  token = null;
}

export async function requestPasswordReset(email: string) {
  const data = await dataOf(client.request(operations.RequestPasswordReset, { email }));
  return data.requestPasswordReset.message;
}

/** @param input with the token of the link in the mail */
export async function resetPassword(input: ResetPasswordInput) {
  const data = await dataOf(client.request(operations.ResetPassword, { input }));
  return data.resetPassword.message;
}
