import * as guardedActs from '../../src/auth/operators/guarded-acts.ts';
import type { StoredAccount } from '../../src/stores/accounts.ts';
import type { StoredOperatorActs } from '../../src/stores/operator-acts.ts';
import { admin } from './admin-command.ts';
import { jsonOf, sendJson } from './http.ts';
import { type Fields, freshEmail, freshPassword } from './people.ts';
import { rememberPassword, rememberToken } from './response-record.ts';
import { codeAt, nextCode, TWO_FACTOR } from './second-factor.ts';
import { bearer } from './session.ts';
import type { TestApp } from './test-app.ts';

/** The settings of a gateway whose operators work in a browser. */
export const OPERATOR_API = { ...TWO_FACTOR, OPERATOR_API: 'on' };

type App = Pick<TestApp, 'url' | 'database' | 'storageDir' | 'now'>;

/** What the operators' API has answered. */
export interface OperatorAnswer {
  status: number;
  data: Record<string, unknown> | null | undefined;
  code: string | undefined;
  message: string;
  extensions: Record<string, unknown>;
}

/** Sends an operation to the operators' API. */
export async function operate(
  { url }: Pick<App, 'url'>,
  query: string,
  variables: Fields = {},
  token?: string,
): Promise<OperatorAnswer> {
  const headers = token === undefined ? {} : bearer(token);
  const response = await sendJson(`${url}/operators/graphql`, { query, variables }, headers);
  const { data, errors = [] } = jsonOf<{
    data?: Record<string, unknown>;
    errors?: { message: string; extensions: Record<string, unknown> }[];
  }>(response);
  const [{ message = '', extensions = {} } = {}] = errors;
  return { status: response.status, data, code: extensions.code as string | undefined, message, extensions };
}

/** The result of an operation that succeeds. */
export async function operated<T>(...args: Parameters<typeof operate>): Promise<T> {
  const answer = await operate(...args);
  if (!answer.data || answer.code !== undefined) {
    throw new Error(`refused: ${JSON.stringify(answer)}`);
  }
  return Object.values(answer.data)[0] as T;
}

/** Runs an operator's command on the database of an app. */
export const adminOf = ({ database, storageDir }: App, ...words: string[]) =>
  admin({ MONGODB_URI: database.uri, STORAGE_DIR: storageDir, BCRYPT_COST: '4', ...OPERATOR_API }, ...words);

export const BEGIN =
  'mutation ($input: BeginSetUpInput!) { beginSetUp(input: $input) { secretKey url svg } }';
export const FINISH = `mutation ($input: FinishSetUpInput!) {
  finishSetUp(input: $input) { token recoveryCodes operator { id name email role } }
}`;

/** The token of the link that a command has printed. */
export function setUpTokenOf(json: unknown[]): { id: string; token: string } {
  const [{ id = '', url = '' } = {}] = json as { id?: string; url?: string }[];
  const [, token = ''] = /^http:\/\/localhost:4000\/console#set-up=([\w-]{43})$/.exec(url) ?? [];
  expect(token).not.toBe('');
  rememberPassword(token);
  return { id, token };
}

/** An account of an operator or a reviewer that waits for its set-up. */
export async function waitingStaff(app: App, role: 'operator' | 'reviewer' = 'operator') {
  const email = freshEmail();
  const made = await adminOf(
    app,
    ...['accounts', 'create', '--role', role, '--name', 'Olga Perator', '--email', email, '--json'],
  );
  return { ...setUpTokenOf(made.json), email };
}

/** Somebody of the staff who has logged in. */
export interface Staff {
  id: string;
  email: string;
  password: string;
  secretKey: string;
  recoveryCodes: string[];
  token: string;
}

/** Sets an account up by its link. */
export async function setUp(app: App, { token, email }: { token: string; email: string }): Promise<Staff> {
  const { secretKey } = await operated<{ secretKey: string }>(app, BEGIN, { input: { token } });
  const password = freshPassword();
  rememberToken(secretKey);
  const input = { token, newPassword: password, code: codeAt(secretKey, 0, app.now()) };
  const done = await operated<{ token: string; recoveryCodes: string[]; operator: { id: string } }>(
    app,
    FINISH,
    { input },
  );
  for (const secret of [done.token, ...done.recoveryCodes]) {
    rememberToken(secret);
  }
  const { recoveryCodes, operator } = done;
  return { id: operator.id, email, password, secretKey, recoveryCodes, token: done.token };
}

/** An operator who has logged in. */
export const newOperator = async (app: App): Promise<Staff> => setUp(app, await waitingStaff(app));

/** A reviewer who has logged in. */
export const newStaffReviewer = async (app: App): Promise<Staff> =>
  setUp(app, await waitingStaff(app, 'reviewer'));

const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { token } }';
const COMPLETE = 'mutation ($input: CompleteLoginInput!) { completeLogin(input: $input) { token } }';

/** Logs somebody of the staff in once more, by a challenge. */
export async function logInAgain(app: App, staff: Staff): Promise<Staff> {
  nextCode();
  const { email, password, secretKey } = staff;
  const { extensions } = await operate(app, LOGIN, { input: { email, password } });
  const input = { challenge: extensions.challenge, code: codeAt(secretKey) };
  const { token } = await operated<{ token: string }>(app, COMPLETE, { input });
  rememberToken(token);
  return { ...staff, token };
}

const STEP_UP = 'mutation ($input: StepUpInput!) { stepUp(input: $input) { token } }';

/** Proves once more who an operator is. */
export async function proveAgain(app: App, staff: Staff): Promise<Staff> {
  nextCode();
  const { password, secretKey } = staff;
  const { token } = await operated<{ token: string }>(
    app,
    STEP_UP,
    { input: { password, code: codeAt(secretKey) } },
    staff.token,
  );
  rememberToken(token);
  return { ...staff, token };
}

export const DETAILS = `id name email phone role state version hasTwoFactor disabledAt erasureDueAt guarded
  devices { device ip createdAt lastUsedAt } secondFactor { enabled recoveryCodesLeft wrongCodes required }
  passkeys { name } verification { status reason } mails { id kind attempts dueAt }
  events { act outcome reason account actor commandLineOperator channel count }
  requested { id act email reason requestedBy }`;

/** An account as operators see it. */
export interface Details {
  id: string;
  email: string;
  state: string;
  version: string;
  hasTwoFactor: boolean;
  devices: unknown[];
  guarded: string[];
  secondFactor: { enabled: boolean };
  mails: { id: string; kind: string; dueAt: string | null }[];
  events: { act: string; outcome: string; reason: string | null; actor: string | null; channel: string }[];
  requested: { id: string; act: string; email: string | null; reason: string; requestedBy: string } | null;
}

/** Opens an account. */
export const opened = (app: App, { token }: Pick<Staff, 'token'>, id: string): Promise<Details> =>
  operated<Details>(app, `query ($id: ID!) { account(id: $id) { ${DETAILS} } }`, { id }, token);

/** The version of an account, as who opens it sees it, but without that act. */
export async function versionOf({ database }: Pick<App, 'database'>, _id: string): Promise<string> {
  const account = (await database.accounts.findOne({ _id })) as StoredAccount;
  const acts = await database.db.collection<StoredOperatorActs>('operator_acts').findOne({ _id });
  return guardedActs.versionOf({ account, acts: acts ?? undefined });
}

/** The input types of the changes. */
const INPUTS: Readonly<Record<string, string>> = {
  correctEmail: 'EmailCorrectionInput',
  resendMail: 'ResendMailInput',
  confirmAct: 'RequestedActInput',
  declineAct: 'RequestedActInput',
};

/** Changes an account, in the version that is given or the present one. */
export async function change(
  app: App,
  staff: Pick<Staff, 'token'>,
  name: string,
  fields: { account: string; version?: string } & Fields,
): Promise<OperatorAnswer> {
  const version = fields.version ?? (await versionOf(app, fields.account));
  const type = INPUTS[name] ?? 'AccountChangeInput';
  const selected = name === 'exportAccount' ? '' : `{ ${DETAILS} }`;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) ${selected} }`;
  return operate(app, query, { input: { reason: 'Asked by telephone.', ...fields, version } }, staff.token);
}

/** Changes an account, and expects that it succeeds. */
export async function changed(...args: Parameters<typeof change>): Promise<Details> {
  const answer = await change(...args);
  if (!answer.data || answer.code !== undefined) {
    throw new Error(`refused: ${JSON.stringify(answer)}`);
  }
  return Object.values(answer.data)[0] as Details;
}
