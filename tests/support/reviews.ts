import {
  DecideOnDoctorDocument,
  type DecideOnDoctorMutation,
  type DecideOnDoctorMutationVariables,
  DoctorForReviewDocument,
  type DoctorForReviewQuery,
  DoctorsForReviewDocument,
  ResubmitDocumentsDocument,
  type ResubmitDocumentsMutation,
  type ReviewedDoctorFieldsFragment,
} from '../../packages/client/src/generated/graphql.ts';
import { aPdf } from './documents.ts';
import { eventually } from './eventually.ts';
import {
  type Authenticated,
  authenticated,
  type RegisteredDoctor,
  registeredDoctor,
} from './expectations.ts';
import { execute, type GraphqlBody, graphqlApi, uploadRequest } from './graphql-api.ts';
import { jsonOf, send } from './http.ts';
import { sendForm } from './multipart.ts';
import { aDoctor, aPatient, type Fields } from './people.ts';
import { bearer } from './session.ts';
import { letMailsBeSent, type TestApp, testClock } from './test-app.ts';

type App = Pick<TestApp, 'url' | 'database'>;

/** A reviewer. No API makes one, so its role is set in the database. */
export async function newReviewer(app: App): Promise<Authenticated> {
  const reviewer = authenticated(await graphqlApi(app.url).registerPatient(aPatient()));
  await app.database.accounts.updateOne({ _id: reviewer.account.id }, { $set: { role: 'reviewer' } });
  return reviewer;
}

/** A doctor whom nobody has reviewed. */
export const newDoctor = async ({ url }: Pick<App, 'url'>): Promise<RegisteredDoctor> =>
  registeredDoctor(await graphqlApi(url).registerDoctor(aDoctor()));

const headersOf = (token: string | undefined) => (token === undefined ? {} : bearer(token));

/** Lists doctors; the variables may be wrong. */
export const listDoctors = async (
  { url }: Pick<App, 'url'>,
  token: string | undefined,
  variables: Fields = {},
) => (await execute(url, DoctorsForReviewDocument, variables, headersOf(token))).body;

/** A page of doctors. */
export async function doctorsOf(app: Pick<App, 'url'>, token: string, variables: Fields = {}) {
  const body = await listDoctors(app, token, variables);
  if (!body.data) {
    throw new Error(`no page: ${JSON.stringify(body.errors)}`);
  }
  const { edges, pageInfo } = body.data.doctorsForReview;
  return { ids: edges.map(({ node }) => node.account.id), edges, pageInfo };
}

/** Opens a doctor; the variables may be wrong. */
export const sendOpening = async (
  { url }: Pick<App, 'url'>,
  token: string | undefined,
  variables: Fields,
): Promise<GraphqlBody<DoctorForReviewQuery>> =>
  (await execute(url, DoctorForReviewDocument, variables, headersOf(token))).body;

/** Opens a doctor, and expects that it succeeds. */
export async function openDoctor(
  app: Pick<App, 'url'>,
  token: string,
  id: string,
): Promise<DoctorForReviewQuery['doctorForReview']> {
  const { data, errors } = await sendOpening(app, token, { id });
  if (!data) {
    throw new Error(`not opened: ${JSON.stringify(errors)}`);
  }
  return data.doctorForReview;
}

/** Decides on a doctor; the variables may be wrong. */
export const sendDecision = async (
  { url }: Pick<App, 'url'>,
  token: string | undefined,
  variables: Fields,
): Promise<GraphqlBody<DecideOnDoctorMutation>> =>
  (await execute(url, DecideOnDoctorDocument, variables, headersOf(token))).body;

/** Decides on a doctor, and expects that it succeeds. */
export async function decide(
  app: Pick<App, 'url'>,
  token: string,
  variables: DecideOnDoctorMutationVariables,
): Promise<ReviewedDoctorFieldsFragment> {
  const { data, errors } = await sendDecision(app, token, variables);
  if (!data) {
    throw new Error(`not decided: ${JSON.stringify(errors)}`);
  }
  return data.decideOnDoctor;
}

/** A doctor who was rejected once. */
export async function newRejectedDoctor(app: App, reviewer: Authenticated): Promise<RegisteredDoctor> {
  const doctor = await newDoctor(app);
  const { id } = doctor.account;
  await decide(app, reviewer.token, { id, revision: 0, decision: 'REJECT', reason: 'Not readable.' });
  return doctor;
}

/** Three new documents. */
export const newDocuments = () => ({
  licenseFile: aPdf('license.pdf'),
  diplomaFile: aPdf('diploma.pdf'),
  certificationFile: aPdf('certification.pdf'),
});

/** The request with which a doctor submits documents again. */
export function resubmitRequest(token: string | undefined, documents: Fields = newDocuments()) {
  const { headers, ...request } = uploadRequest(String(ResubmitDocumentsDocument), documents);
  return { ...request, headers: { ...headers, ...headersOf(token) } };
}

/** Submits documents again. */
export async function resubmit(
  { url }: Pick<App, 'url'>,
  token: string | undefined,
  documents: Fields = newDocuments(),
): Promise<GraphqlBody<ResubmitDocumentsMutation>> {
  return jsonOf(await sendForm(url, resubmitRequest(token, documents)));
}

/** The URLs of the three documents of a profile. */
export const urlsOf = ({ licenseFileUrl, diplomaFileUrl, certificationUrl }: Record<string, unknown>) =>
  [licenseFileUrl, diplomaFileUrl, certificationUrl].map(String);

/** What the gateway answers for each document. */
export const statusesOf = (urls: string[]) => Promise.all(urls.map(async (url) => (await send(url)).status));

/** Waits until all is told, published and sent that is due. */
export const settled = ({ database: { db, profiles } }: App): Promise<void> =>
  eventually(async () => {
    await letMailsBeSent();
    const left = [{ tellAt: { $lte: new Date(testClock.now()) } }, { 'eventNotes.0': { $exists: true } }];
    expect(await profiles.countDocuments({ $or: left })).toBe(0);
    expect(await db.collection('audit_events').countDocuments({ unpublished: { $exists: true } })).toBe(0);
    expect(await db.collection('outgoing_mails').countDocuments({ order: { $exists: true } })).toBe(0);
  });

/** The code of a refusal, and the fields that it names. */
export const refusalOf = ({ data, errors }: GraphqlBody<unknown>) => ({
  data: data ?? null,
  code: errors?.[0]?.extensions?.code,
  errors: errors?.[0]?.extensions?.errors,
});
