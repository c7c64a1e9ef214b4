import type { Authenticated, RegisteredDoctor } from '../../auth/registration.ts';
import type { DocumentUrls } from '../../documents/document-urls.ts';
import type { Account } from '../../stores/accounts.ts';
import type { IdFormat } from '../../stores/ids.ts';
import { presentTime } from '../http/error-responses.ts';
import { presentProfile } from '../http/present-profile.ts';

const DECIMAL = /^[1-9]\d*$/;

/** With ID_FORMAT=integer, an id is a JSON number, if it is one that readers of JSON take exactly (RFC 8259 section 6). */
const presentId = (id: string, format: IdFormat): string | number =>
  format === 'integer' && DECIMAL.test(id) && Number.isSafeInteger(Number(id)) ? Number(id) : id;

const presentTimeOrNull = (time: Date | null): string | null => time && presentTime(time);

/** The account record of patient and login responses, and of `/api/v1/user`. */
export const presentAccount = (account: Account, idFormat: IdFormat) => ({
  id: presentId(account.id, idFormat),
  name: account.name,
  email: account.email,
  phone: account.phone,
  dob: account.dateOfBirth,
  role: account.role,
  created_at: presentTimeOrNull(account.createdAt),
  updated_at: presentTimeOrNull(account.updatedAt),
});

/** The answer to a patient's registration and to a login (docs/contract.md): the token is beside `data`. */
export const presentAuthenticated = ({ account, token }: Authenticated, idFormat: IdFormat) => ({
  data: presentAccount(account, idFormat),
  token,
});

/** The answer to a doctor's registration (docs/contract.md): the token is inside `data`, and the account has no role. */
export function presentDoctor(
  { account, profile, token }: RegisteredDoctor,
  urls: DocumentUrls,
  idFormat: IdFormat,
) {
  const { name, email, phone } = account;
  const id = presentId(account.id, idFormat);
  return { data: { account: { id, name, email, phone }, profile: presentProfile(profile, urls), token } };
}

/** The fields that the REST contract does not just spell in another case. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  dateOfBirth: 'dob',
  // As in Laravel's starter kits, the new password is just the password.
  newPassword: 'password',
  newPasswordConfirmation: 'password_confirmation',
};

/** How the REST contract spells a field: `licenseNumber` is `license_number`. */
export const restName = (field: string): string =>
  OTHER_NAMES[field] ?? field.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
