import type { Authenticated, RegisteredDoctor } from '../auth/registration.ts';
import type { DocumentUrls } from '../documents/document-urls.ts';
import { presentProfile } from '../http/present-profile.ts';
import type { Account } from '../models/account.model.ts';

/** The account record of patient and login responses, and of `/api/v1/user`. */
export const presentAccount = ({ id, name, email, phone, role }: Account) => ({
  id,
  name,
  email,
  phone,
  role,
});

/** The answer to a patient's registration and to a login (docs/contract.md): the token is beside `data`. */
export const presentAuthenticated = ({ account, token }: Authenticated) => ({
  data: presentAccount(account),
  token,
});

/** The answer to a doctor's registration (docs/contract.md): the token is inside `data`, and the account has no role. */
export function presentDoctor({ account, profile, token }: RegisteredDoctor, urls: DocumentUrls) {
  const { id, name, email, phone } = account;
  return { data: { account: { id, name, email, phone }, profile: presentProfile(profile, urls), token } };
}
