import type { SettingsReader } from './settings-reader.ts';

const KEY = 'PASSWORD_RESET_URL';
const MARK = '{token}';

/**
 * Reads the address of the page where a person chooses a new password, with `{token}` in its path, query or fragment.
 * @param sendsMails true if mails are sent: they have such a link
 * @returns undefined if it is not set: then a reset token is a code to type
 */
export function readPasswordResetUrl(read: SettingsReader, sendsMails: boolean): string | undefined {
  const text = read.text(KEY, '');
  if (text === '') {
    if (sendsMails) {
      read.problem(KEY, 'must be set with SMTP_URL, to the page for a new password, with {token} in it');
    }
    return undefined;
  }
  if (isTemplate(text)) {
    return text;
  }
  read.problem(
    KEY,
    'must be an absolute http or https address with {token} once in its path, query or fragment',
  );
  return undefined;
}

/** The token must come behind the host, or the link would lead elsewhere. */
function isTemplate(text: string): boolean {
  const [before = '', after, ...others] = text.split(MARK);
  if (after === undefined || others.length > 0 || !/^https?:\/\/[^/?#\s]+[/?#]\S*$/i.test(before)) {
    return false;
  }
  const whole = `${before}x${after}`;
  if (/\s/.test(whole) || !URL.canParse(whole)) {
    return false;
  }
  const { username, password } = new URL(whole);
  return !username && !password;
}
