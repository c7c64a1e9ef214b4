/** What the server writes into the pages for people, for their script. Everybody may know it. */
export interface PeopleSettings {
  /** The name of the service. */
  name: string;
  /** PASSWORD_MIN_CHARACTERS. */
  passwordMinCharacters: number;
  /** MAX_FILE_BYTES. */
  maxFileBytes: number;
  /** True if links are mailed to choose a new password and to confirm an e-mail. */
  mails: boolean;
  /** Who may register, by role: `open`, `invited` or `off`. */
  registration: Readonly<Record<'doctor' | 'patient', string>>;
  /** How people reach the clinic; undefined if that is not known. */
  contact: string | undefined;
  contactUrl: string | undefined;
  imprint: string | undefined;
  privacy: string | undefined;
  /** The URL of the brand's picture. */
  picture: string | undefined;
  /** True if these pages may use passkeys. */
  passkeys: boolean;
  /** The operators' console, where staff log in; undefined without OPERATOR_API. */
  staffUrl?: string;
  /** PEOPLE_RETURN_URL. */
  returnUrl?: string;
}
