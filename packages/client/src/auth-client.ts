import { type NamedBlob, openDocument } from './documents.ts';
import { Gateway } from './gateway.ts';
import {
  LoginDocument,
  LogoutDocument,
  MeDocument,
  MyTokensDocument,
  RegisterDoctorDocument,
  type RegisterDoctorInput,
  RegisterPatientDocument,
  RevokeOtherTokensDocument,
  RevokeTokenDocument,
} from './generated/graphql.ts';
import { bearer, type Files } from './request.ts';
import { failed, type Result } from './results.ts';
import type { AuthClient, AuthClientOptions, CallOptions, DoctorFields, DocumentField } from './types.ts';

/**
 * Makes a client. It sends nothing until one of its functions is called.
 * @throws TypeError if `url` is missing or not an address; the message says which
 */
export function createAuthClient(options: AuthClientOptions): AuthClient {
  // JavaScript callers may pass nothing at all.
  const { token = null } = options ?? {};
  const gateway = new Gateway(options ?? {});
  /** Adds the token. Login and registration need none, so they do not send it. */
  const authorized = (call?: CallOptions) => ({ ...call, headers: bearer(client.token) });
  const keepToken = <R extends Result<{ token: string }, string>>(result: R): R => {
    if (result.ok) {
      client.token = result.data.token;
    }
    return result;
  };

  const client: AuthClient = {
    token,

    async registerDoctor(fields, call) {
      const opened = await openDocuments(fields);
      if (!opened.ok) {
        return opened;
      }
      const input = doctorInput(fields);
      return keepToken(await gateway.run(RegisterDoctorDocument, { input }, { ...call, files: opened.data }));
    },

    // Field by field: the object of a program may have more fields, and the gateway would refuse those.
    async registerPatient({ name, email, password, phone, dateOfBirth }, call) {
      // An empty date is none, like an empty text. The type `Date` of GraphQL has no empty value.
      const input = { name, email, password, phone, dateOfBirth: dateOfBirth || null };
      return keepToken(await gateway.run(RegisterPatientDocument, { input }, call));
    },

    async login({ email, password }, call) {
      return keepToken(await gateway.run(LoginDocument, { input: { email, password } }, call));
    },

    async logout(call) {
      const { token } = client;
      const result = await gateway.run(LogoutDocument, {}, authorized(call));
      const isInvalid = result.ok || result.error.code === 'UNAUTHENTICATED';
      // A login may have set another token meanwhile.
      if (isInvalid && client.token === token) {
        client.token = null;
      }
      return result;
    },

    me: (call) => gateway.run(MeDocument, {}, authorized(call)),

    tokens: {
      list: (call) => gateway.run(MyTokensDocument, {}, authorized(call)),
      revoke: (id, call) => gateway.run(RevokeTokenDocument, { id }, authorized(call)),
      revokeOthers: (call) => gateway.run(RevokeOtherTokensDocument, {}, authorized(call)),
    },
  };
  return client;
}

/** The input of the operation. It has null for each document; the map of the form puts the documents there. */
function doctorInput(fields: DoctorFields): RegisterDoctorInput {
  const { name, email, password, phone, specialization, licenseNumber } = fields;
  const { currentInstitution, workHistory, publications, practiceAddress } = fields;
  const about = { currentInstitution, workHistory, publications, practiceAddress };
  const documents = { licenseFile: null, diplomaFile: null, certificationFile: null };
  return { name, email, password, phone, specialization, licenseNumber, ...about, ...documents };
}

/** Opens all given documents. One error reports all that cannot be opened. */
async function openDocuments(fields: DoctorFields): Promise<Result<Files, DocumentField>> {
  const { licenseFile, diplomaFile, certificationFile } = fields;
  const files: Record<string, NamedBlob> = {};
  const problems: Record<string, string[]> = {};
  for (const [field, source] of Object.entries({ licenseFile, diplomaFile, certificationFile })) {
    if (source === null) {
      continue;
    }
    const opened = await openDocument(source);
    if ('problem' in opened) {
      problems[field] = [opened.problem];
    } else {
      files[field] = opened;
    }
  }
  const [message] = Object.values(problems).flat();
  if (message === undefined) {
    return { ok: true, data: files };
  }
  return failed({ code: 'FILE_NOT_READABLE', message, fields: problems });
}
