import { admin } from './admin-command.ts';
import { rememberPassword } from './response-record.ts';
import type { TestApp } from './test-app.ts';

/** Settings for mails by this mail server. */
export const mailSettings = (url: string) => ({
  SMTP_URL: url,
  MAIL_FROM: 'Clinic <clinic@example.org>',
  PASSWORD_RESET_URL: 'https://app.example.org/reset#token={token}',
});

/** A reset token for the account of an e-mail, as an operator makes it. */
export async function resetCodeOf({ database }: Pick<TestApp, 'database'>, email: string): Promise<string> {
  const { json, stderr } = await admin(
    { MONGODB_URI: database.uri },
    ...['accounts', 'reset-link', '--email', email, '--json'],
  );
  const [made] = json as { code: string }[];
  if (!made) {
    throw new Error(stderr);
  }
  rememberPassword(made.code);
  return made.code;
}
