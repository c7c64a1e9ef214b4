import { REVIEW_DECISIONS } from '../../../../src/auth/reviews/decisions.ts';
import {
  type DoctorDocument,
  documentsAskedFor,
  NOT_REVIEWED,
  storedStatusOf,
} from '../../../../src/stores/verification-record.ts';
import { authenticated } from '../../../support/expectations.ts';
import { freshPassword } from '../../../support/people.ts';
import { rememberPassword } from '../../../support/response-record.ts';
import { restApi } from '../../../support/rest-api.ts';
import { newDocuments, resubmit, sendDecision } from '../../../support/reviews.ts';
import { type ActHere, type LifeHere, loginTo } from './life-here.ts';

const DECISIONS = {
  verified: { decision: REVIEW_DECISIONS.APPROVE, from: ['pending', 'rejected', 'suspended'] },
  rejected: { decision: REVIEW_DECISIONS.REJECT, from: ['pending', 'verified', 'suspended'] },
  suspended: { decision: REVIEW_DECISIONS.SUSPEND, from: ['pending', 'verified'] },
};

/** The doctors whom reviewers see, in the order of their ids. */
async function doctorsOf({ world }: LifeHere) {
  const { accounts, profiles } = world.app.database;
  const enabled = await accounts.find({ role: 'doctor', disabledAt: null }).sort({ _id: 1 }).toArray();
  const found = await profiles.find({ _id: { $in: enabled.map(({ _id }) => _id) } }).toArray();
  const byId = new Map(found.map((profile) => [profile._id, profile]));
  return enabled.flatMap((account) => {
    const profile = byId.get(account._id);
    return profile ? [{ account, profile, status: storedStatusOf(profile) }] : [];
  });
}

/** A doctor, and one of the decisions that are possible now. */
async function aDecision(life: LifeHere) {
  const doctors = await doctorsOf(life);
  // A doctor who has submitted documents waits for a decision.
  const waiting = doctors.filter(({ profile }) => profile.resubmitted);
  const doctor = life.random.pick(waiting.length > 0 && life.random.percent(60) ? waiting : doctors);
  const possible = Object.entries(DECISIONS).filter(([, { from }]) => doctor && from.includes(doctor.status));
  // A rejection is what lets a doctor submit documents again.
  const rejection = possible.find(([status]) => status === 'rejected');
  const chosen = rejection && life.random.percent(50) ? rejection : life.random.pick(possible);
  if (!doctor || !chosen) {
    return undefined;
  }
  const [status, { decision }] = chosen;
  // Some doctors submit one document again, and the others wait beside it.
  const documents: DoctorDocument[] =
    status === 'rejected' && (doctor.profile.revision ?? 0) % 2 === 0 ? ['license'] : [];
  return { ...doctor, status, decision, documents };
}

/** Notes a decision. The documents that were submitted again are those of the doctor from then on. */
function noteDecision(
  life: LifeHere,
  { profile, status }: NonNullable<Awaited<ReturnType<typeof aDecision>>>,
): void {
  life.statuses.set(profile._id, status);
  if (profile.resubmitted) {
    const { licenseFilePath, diplomaFilePath, certificationFilePath } = profile.resubmitted;
    life.documents.set(profile._id, { licenseFilePath, diplomaFilePath, certificationFilePath });
  }
}

/** An operator decides on a doctor. */
export const decideAsOperator: ActHere = async (life) => {
  const { reviews, operator } = life.world;
  const chosen = await aDecision(life);
  if (chosen) {
    const { profile, decision, documents } = chosen;
    const revision = profile.revision ?? 0;
    const review = { id: profile._id, revision, decision, reason: 'Unreadable.', documents };
    await (await reviews.decide(review, operator.operator)).written;
    noteDecision(life, chosen);
  }
};

/** The token of a reviewer. An operator may have disabled or erased the last one. */
async function aReviewer(life: LifeHere): Promise<string> {
  const { operator, app, nextId } = life.world;
  const [email, password] = [`reviewer.${nextId()}@example.org`, freshPassword()];
  rememberPassword(password);
  const fields = { role: 'reviewer', name: 'Reviewer', email, phone: null, password } as const;
  const { id } = await operator.accountAdmin.create(fields, operator.operator);
  life.passwords.set(id, password);
  return authenticated(await restApi(app.url).login({ email, password })).token;
}

/** A reviewer decides on a doctor. */
export const decideAsReviewer: ActHere = async (life) => {
  const chosen = await aDecision(life);
  if (!chosen) {
    return;
  }
  const { profile, decision, documents } = chosen;
  const variables = {
    id: profile._id,
    revision: profile.revision ?? 0,
    decision: decision.toUpperCase(),
    reason: 'Unreadable.',
    documents: documents.map((document) => document.toUpperCase()),
  };
  const send = async () => {
    life.reviewer ??= await aReviewer(life);
    return sendDecision(life.world.app, life.reviewer, variables);
  };
  let answer = await send();
  if (answer.errors?.[0]?.extensions?.code === 'UNAUTHENTICATED') {
    life.reviewer = undefined;
    answer = await send();
  }
  expect(answer.errors).toBeUndefined();
  noteDecision(life, chosen);
};

/** A rejected doctor submits the documents again that were asked for. */
export const resubmitDocuments: ActHere = async (life) => {
  const rejected = (await doctorsOf(life)).filter(({ status }) => status === 'rejected');
  const doctor = life.random.pick(rejected);
  const token = doctor && (await loginTo(life, doctor.account));
  if (doctor && token !== undefined) {
    const wanted = documentsAskedFor(doctor.profile.verification ?? NOT_REVIEWED).map(
      (document) => `${document}File`,
    );
    const files = Object.entries(newDocuments()).filter(([name]) => wanted.includes(name));
    const { errors } = await resubmit(life.world.app, token, Object.fromEntries(files));
    expect(errors).toBeUndefined();
    life.statuses.set(doctor.account._id, 'pending');
  }
};
