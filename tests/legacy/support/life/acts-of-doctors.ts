import { REVIEW_DECISIONS } from '../../../../src/auth/reviews/reviews.ts';
import { verificationOf } from '../../../../src/stores/doctors.ts';
import { authenticated } from '../../../support/expectations.ts';
import { freshPassword } from '../../../support/people.ts';
import { rememberPassword } from '../../../support/response-record.ts';
import { restApi } from '../../../support/rest-api.ts';
import { resubmit, sendDecision } from '../../../support/reviews.ts';
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
    return profile ? [{ account, profile, status: verificationOf(profile).status }] : [];
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
  return doctor && chosen ? { ...doctor, status: chosen[0], decision: chosen[1].decision } : undefined;
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
    const { profile, decision } = chosen;
    const review = { id: profile._id, revision: profile.revision ?? 0, decision, reason: 'Unreadable.' };
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
  const { id } = await operator.accounts.create(fields, operator.operator);
  life.passwords.set(id, password);
  return authenticated(await restApi(app.url).login({ email, password })).token;
}

/** A reviewer decides on a doctor. */
export const decideAsReviewer: ActHere = async (life) => {
  const chosen = await aDecision(life);
  if (!chosen) {
    return;
  }
  const { profile, decision } = chosen;
  const variables = {
    id: profile._id,
    revision: profile.revision ?? 0,
    decision: decision.toUpperCase(),
    reason: 'Unreadable.',
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

/** A rejected doctor submits documents again. */
export const resubmitDocuments: ActHere = async (life) => {
  const rejected = (await doctorsOf(life)).filter(({ status }) => status === 'rejected');
  const doctor = life.random.pick(rejected);
  const token = doctor && (await loginTo(life, doctor.account));
  if (doctor && token !== undefined) {
    const { errors } = await resubmit(life.world.app, token);
    expect(errors).toBeUndefined();
    life.statuses.set(doctor.account._id, 'pending');
  }
};
