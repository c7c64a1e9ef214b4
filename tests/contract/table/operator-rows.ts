import { change, changed, opened, versionOf } from '../../support/operators.ts';
import { restApi } from '../../support/rest-api.ts';
import { codeAt, wrongCode } from '../../support/second-factor.ts';
import { testClock } from '../../support/test-app.ts';
import type { Cast } from './cast.ts';
import type { Row } from './rows.ts';

const REASON = 'Asked by telephone.';

/** A change of an account, in its present version. */
const changeOf = async ({ app }: Cast, { id }: { id: string }, more = {}) => ({
  ...{ account: id, version: await versionOf(app, id), reason: REASON, ...more },
});

/** A change of an account. @param who it is made for, and what it needs besides */
const aChange = (
  who: keyof Cast['people'],
  more: (cast: Cast) => object | Promise<object> = () => ({}),
): Row => {
  const right = async (cast: Cast) => changeOf(cast, cast.people[who], await more(cast));
  return {
    as: 'operator',
    others: ['patient', 'reviewer'],
    right,
    wrong: {
      'an unknown account': async (cast) => ({ ...(await right(cast)), account: 'unknown' }),
      'an old version': async (cast) => ({ ...(await right(cast)), version: 'old' }),
      'a reason of two lines': async (cast) => ({ ...(await right(cast)), reason: 'One\nTwo' }),
      'the own account': async (cast) => changeOf(cast, cast.operator, await more(cast)),
    },
  };
};

/** An act that a colleague has asked for, and that waits for somebody else. */
async function waitingAct(cast: Cast) {
  const account = cast.patient.id;
  const { app, colleague } = cast;
  await change(app, colleague, 'correctEmail', { account, email: 'another@example.org' });
  testClock.move(1000);
  const { requested } = await changed(app, colleague, 'removeSecondFactor', { account });
  return changeOf(cast, cast.patient, { act: requested?.id ?? 'none' });
}

const anAnswer: Row = {
  as: 'operator',
  others: ['patient', 'reviewer', 'colleague'],
  right: waitingAct,
  wrong: {
    'an unknown act': async (cast) => ({ ...(await waitingAct(cast)), act: 'unknown' }),
    'an old version': async (cast) => ({ ...(await waitingAct(cast)), version: 'old' }),
  },
};

const ofInvitation: Row = {
  as: 'operator',
  others: ['patient', 'reviewer'],
  right: ({ invitationId: id }) => ({ id }),
  wrong: { 'an unknown id': () => ({ id: 'unknown' }) },
};

const code = ({ operator }: Cast) => ({ code: codeAt(operator.secretKey) });
const wrong = ({ operator }: Cast) => ({ code: wrongCode(operator.secretKey) });

/** The operations of the operators' API. */
export const OPERATOR_ROWS: Readonly<Record<string, Row>> = {
  overview: { as: 'operator', others: ['patient', 'reviewer'], right: () => ({}) },
  accounts: {
    as: 'operator',
    others: ['patient', 'reviewer'],
    right: () => ({ search: 'patient', first: 5 }),
    wrong: {
      'too short a search': () => ({ search: 'a' }),
      'too many at once': () => ({ first: 10_000 }),
      'an unknown cursor': () => ({ after: 'unknown' }),
    },
  },
  account: {
    as: 'operator',
    others: ['patient', 'reviewer'],
    right: ({ doctor: { id } }) => ({ id }),
    wrong: { 'an unknown id': () => ({ id: 'unknown' }) },
  },
  auditEvents: {
    as: 'operator',
    others: ['patient', 'reviewer'],
    right: ({ rejected }) => ({ account: rejected.id, act: 'REVIEW' }),
    wrong: { 'an unknown act': () => ({ act: 'UNKNOWN' }), 'too many at once': () => ({ first: 10_000 }) },
  },
  waitingActs: { as: 'operator', others: ['patient', 'reviewer'], right: () => ({}) },
  openInvitations: { as: 'operator', others: ['patient', 'reviewer'], right: () => ({}) },
  invite: {
    as: 'operator',
    others: ['patient', 'reviewer'],
    right: () => ({ email: 'new@example.org', role: 'DOCTOR', name: 'New' }),
    wrong: {
      'an e-mail with an account': ({ patient }) => ({ email: patient.email, role: 'PATIENT', name: 'New' }),
      'an invited e-mail': () => ({ email: 'invited@example.org', role: 'PATIENT', name: 'New' }),
      'a role of the staff': () => ({ email: 'new@example.org', role: 'REVIEWER', name: 'New' }),
      'no e-mail and a name of two lines': () => ({ email: 'new', role: 'DOCTOR', name: 'One\nTwo' }),
    },
  },
  renewInvitation: ofInvitation,
  withdrawInvitation: ofInvitation,
  operator: { as: 'operator', others: ['patient', 'reviewer'], right: () => ({}) },
  disableAccount: aChange('patient'),
  enableAccount: aChange('disabled'),
  unlockAccount: aChange('patient', async ({ url, patient: { email } }) => {
    await restApi(url).login({ email, password: 'wrong' });
    return {};
  }),
  endSessions: aChange('patient'),
  closeAccount: aChange('patient'),
  exportAccount: aChange('doctor'),
  resendMail: aChange('keyholder', async ({ app, operator, keyholder }) => {
    const [mail] = (await opened(app, operator, keyholder.id)).mails;
    return { mail: mail?.id ?? 'none' };
  }),
  sendResetLink: aChange('patient'),
  removeSecondFactor: aChange('owner'),
  correctEmail: aChange('patient', () => ({ email: 'another@example.org' })),
  confirmAct: anAnswer,
  declineAct: anAnswer,
  beginSetUp: {
    right: ({ setUpToken: token }) => ({ token }),
    wrong: {
      'an unknown token': () => ({ token: 'unknown' }),
      'another token': ({ resetToken: token }) => ({ token }),
    },
  },
  finishSetUp: {
    right: async (cast) => {
      const { secretKey } = await cast.beginSetUp();
      return { token: cast.setUpToken, newPassword: 'A-new-password-of-the-table', code: codeAt(secretKey) };
    },
    wrong: {
      'no app': ({ setUpToken: token }) => ({
        token,
        newPassword: 'A-new-password-of-the-table',
        code: '000000',
      }),
      'an unknown token': () => ({ token: 'unknown', newPassword: 'x', code: '000000' }),
    },
  },
  login: {
    right: (cast) => ({ email: cast.operator.email, password: cast.operator.password, ...code(cast) }),
    wrong: {
      'a wrong code': (cast) => ({
        email: cast.operator.email,
        password: cast.operator.password,
        ...wrong(cast),
      }),
      'no code': ({ operator: { email, password } }) => ({ email, password }),
      'a patient': ({ patient: { email, password } }) => ({ email, password }),
      'a wrong password': ({ operator: { email } }) => ({ email, password: 'wrong' }),
    },
  },
  completeLogin: {
    right: async (cast) => ({ challenge: await cast.operatorChallenge(), ...code(cast) }),
    wrong: {
      'a wrong code': async (cast) => ({ challenge: await cast.operatorChallenge(), ...wrong(cast) }),
      'an unknown challenge': (cast) => ({ challenge: 'unknown', ...code(cast) }),
    },
  },
  stepUp: {
    as: 'operator',
    others: ['owner'],
    right: (cast) => ({ password: cast.operator.password, ...code(cast) }),
    wrong: { 'a wrong code': (cast) => ({ password: cast.operator.password, ...wrong(cast) }) },
  },
  logout: { as: 'operator', others: ['patient'], right: () => ({}) },
};
