import { InvitationDocument } from '../../packages/client/src/generated/graphql.ts';
import { emailLinkSettings, nextMailTo } from './email-links.ts';
import { execute } from './graphql-api.ts';
import { OPERATOR_API, operate, operated, type Staff } from './operators.ts';
import { freshEmail } from './people.ts';
import { rememberPassword, rememberToken } from './response-record.ts';
import type { ReceivedMail, SmtpTestServer } from './smtp-server.ts';
import type { TestApp } from './test-app.ts';

/** A gateway that only invited people can register with. */
export const invitingSettings = (url: string) => ({
  ...OPERATOR_API,
  ...emailLinkSettings(url),
  PEOPLE_URL: 'https://app.example.org/people',
  DOCTOR_REGISTRATION: 'invited',
  PATIENT_REGISTRATION: 'invited',
});

const FIELDS = 'id email role name expiresAt';
export interface Invitation {
  id: string;
  email: string;
  role: string;
  name: string;
  expiresAt: string;
}

const INVITE = `mutation ($input: InviteInput!) { invite(input: $input) { ${FIELDS} } }`;

/** Asks to invite somebody. */
export const tryToInvite = (app: TestApp, { token }: Staff, fields: object) =>
  operate(
    app,
    INVITE,
    { input: { email: freshEmail(), role: 'PATIENT', name: 'Paula Patient', ...fields } },
    token,
  );

/** The token of the link in a mail to an invited person. No answer and no log may have it. */
export function invitationTokenIn({ text }: Pick<ReceivedMail, 'text'>): string {
  const [, token = ''] =
    /https:\/\/app\.example\.org\/people#\/register\/(?:doctor|patient)\?token=([\w-]{43})\s/.exec(text) ??
    [];
  expect(token).not.toBe('');
  rememberPassword(token);
  rememberToken(token);
  return token;
}

/** The token of the link in the next mail to an invited person. */
export const mailedToken = async (server: SmtpTestServer, email: string): Promise<string> =>
  invitationTokenIn(await nextMailTo(server, email));

/** Invites somebody, and reads the mail. */
export async function invited(app: TestApp, server: SmtpTestServer, staff: Staff, fields: object = {}) {
  const { data, message } = await tryToInvite(app, staff, fields);
  if (!data) {
    throw new Error(`not invited: ${message}`);
  }
  const invitation = data.invite as Invitation;
  return { ...invitation, token: await mailedToken(server, invitation.email) };
}

/** Renews or withdraws an invitation. */
export const changeInvitation = (app: TestApp, { token }: Staff, name: 'renew' | 'withdraw', id: string) =>
  operate(app, `mutation ($id: ID!) { ${name}Invitation(id: $id) { ${FIELDS} } }`, { id }, token);

/** The ids of those who have not come. */
export const openIds = async (app: TestApp, { token }: Staff): Promise<string[]> =>
  (await operated<Invitation[]>(app, `{ openInvitations { ${FIELDS} } }`, {}, token)).map(({ id }) => id);

/** What the holder of a token sees. */
export async function shownTo(app: TestApp, token: string) {
  const { body } = await execute(app.url, InvitationDocument, { token });
  return body.data?.invitation ?? body.errors?.[0]?.extensions;
}
