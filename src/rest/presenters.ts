import type { Authenticated, RegisteredDoctor } from '../auth/registration.ts';
import type { DocumentUrls } from '../documents/document-urls.ts';
import type { Account } from '../models/account.model.ts';

/** The account record of patient and login responses. */
const presentAccount = ({ id, name, email, phone, role }: Account) => ({ id, name, email, phone, role });

/** Registration of a patient and login (docs/contract.md, "Register a patient"): the token is a sibling of `data`. */
export const presentAuthenticated = ({ account, token }: Authenticated) => ({
  data: presentAccount(account),
  token,
});

/** Registration of a doctor (docs/contract.md, "Register a doctor"): the token is in `data`, the account has no role. */
export function presentDoctor({ account, profile, token }: RegisteredDoctor, urls: DocumentUrls) {
  const { id, name, email, phone } = account;
  return {
    data: {
      account: { id, name, email, phone },
      profile: {
        specialization: profile.specialization,
        licenseNumber: profile.licenseNumber,
        licenseFileUrl: urls.urlOf(profile.licenseFilePath),
        diplomaFileUrl: urls.urlOf(profile.diplomaFilePath),
        certificationUrl: urls.urlOf(profile.certificationFilePath),
        currentInstitution: profile.currentInstitution,
        workHistory: profile.workHistory,
        publications: profile.publications,
        practiceAddress: profile.practiceAddress,
      },
      token,
    },
  };
}
