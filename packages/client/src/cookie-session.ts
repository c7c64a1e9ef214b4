/**
 * The header by which the handler of a web server knows the client. A page of another site cannot send it without a preflight, which
 * the handler does not answer.
 */
export const CLIENT_HEADER = 'Auth-Gateway-Client';

let sessions = 0;

/**
 * Stands for the token in a cookie, which no script can read: another value for each session, so that a late answer of an earlier one
 * changes nothing. It has a blank, so it is never sent.
 */
export function cookieMark(): string {
  sessions += 1;
  return `cookie ${sessions}`;
}
