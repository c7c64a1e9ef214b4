import type { SettingsReader } from './settings-reader.ts';

const KEY = 'PASSWORD_RESET_URL';
const MARK = '{token}';

/**
 * Reads the address of the page where a person chooses a new password, with `{token}` in its path, query or fragment.
 * @returns undefined if it is not set: then there are only codes to type. Mails need it
 */
export function readPasswordResetUrl(read: SettingsReader): string | undefined {
  const text = read.text(KEY, '');
  if (text === '') {
    if (read.text('SMTP_URL', '') !== '') {
      read.problem(
        KEY,
        'must be set if SMTP_URL is: the address of the page for a new password, with {token}',
      );
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

function isTemplate(text: string): boolean {
  const [before = '', after, ...others] = text.split(MARK);
  if (after === undefined || others.length > 0 || /\s/.test(text) || !URL.canParse(before)) {
    return false;
  }
  const [start, whole] = [new URL(before), new URL(`${before}x${after}`)];
  const isWeb = ['http:', 'https:'].includes(whole.protocol);
  // Otherwise the token would be a part of the host.
  const isBehindHost = start.host === whole.host && /^https?:\/\/[^/?#]+[/?#]/i.test(before);
  return isWeb && isBehindHost && !whole.username && !whole.password;
}
