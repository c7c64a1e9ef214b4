declare module 'virtual:common-passwords' {
  /** The passwords, with blanks between them. */
  export const commonPasswords: string;
}
