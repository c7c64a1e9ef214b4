import { useEffect, useMemo, useRef, useState } from 'react';
import { ApiError, send } from './api.ts';
import { DECISIONS, type DoctorList, decisionsOn, LIST_NAMES, STATUS_NAMES, textsOf } from './decisions.ts';
import { Dialog, Field, Form } from './dialog.tsx';
import { DocumentRow } from './documents.tsx';
import {
  DecideOnDoctorDocument,
  type DoctorDocument,
  type DoctorInReviewFragment,
  DoctorsForReviewDocument,
  type DoctorsForReviewQueryVariables,
  type ReviewDecision,
} from './generated-reviews/graphql.ts';
import { useKeys } from './keys.ts';
import { asApiError } from './loading.tsx';
import { orNone, Text, Time } from './text.tsx';

type Doctor = DoctorInReviewFragment;

/** The doctors of one list, as far as they are read, and which of them is shown. */
interface Queue {
  list: DoctorList;
  doctors: readonly Doctor[];
  shown: Doctor | undefined;
  /** null at the end. */
  after: string | null;
}

const queryOf = (list: DoctorList): DoctorsForReviewQueryVariables =>
  list === 'CORRECTIONS' ? { proposals: true } : { status: list };

async function readPage(
  list: DoctorList,
  after: string | null = null,
): Promise<Pick<Queue, 'doctors' | 'after'>> {
  const variables = { ...queryOf(list), first: 20, after };
  const { edges, pageInfo } = (await send(DoctorsForReviewDocument, variables, 'graphql')).doctorsForReview;
  return { doctors: edges.map(({ node }) => node), after: pageInfo.hasNextPage ? pageInfo.endCursor : null };
}

const idOf = ({ account: { id } }: Doctor): string => id;

/** The queue of reviewers: documents first, then the decision. */
function useQueue() {
  const [queue, setQueue] = useState<Queue>();
  const [error, setError] = useState<ApiError>();
  const reads = useRef(0);
  /** An answer that a later read has overtaken would show the doctors of another list. */
  const read = async (list: DoctorList, shownId?: string): Promise<Queue | undefined> => {
    reads.current += 1;
    const own = reads.current;
    try {
      const page = await readPage(list);
      if (own !== reads.current) {
        return undefined;
      }
      const shown = page.doctors.find((doctor) => idOf(doctor) === shownId) ?? page.doctors[0];
      const next = { list, ...page, shown };
      setQueue(next);
      setError(undefined);
      return next;
    } catch (thrown) {
      setError(asApiError(thrown));
      return undefined;
    }
  };
  const readMore = async ({ list, doctors, shown, after }: Queue) => {
    const page = await readPage(list, after).catch((thrown: unknown) => setError(asApiError(thrown)));
    if (page) {
      setQueue({ list, shown: shown ?? page.doctors[0], ...page, doctors: [...doctors, ...page.doctors] });
    }
  };
  const show = (shown: Doctor) => setQueue((current) => current && { ...current, shown });
  const leave = (doctor: Doctor) =>
    setQueue((current) => {
      const index = current?.doctors.indexOf(doctor) ?? -1;
      const doctors = current?.doctors.filter((other) => other !== doctor) ?? [];
      return current && { ...current, doctors, shown: doctors[index] ?? doctors.at(-1) };
    });
  return { queue, error, read, readMore, show, leave };
}

/** Where reviewers look at documents and decide. */
export function ReviewsPage() {
  const { queue, error, read, readMore, show, leave } = useQueue();
  const [decision, setDecision] = useState<ReviewDecision>();
  const [notice, setNotice] = useState('');
  const details = useRef<HTMLElement>(null);
  useEffect(() => void read('PENDING'), []);

  const focusDetails = () => requestAnimationFrame(() => details.current?.querySelector('h2')?.focus());
  const pick = (doctor: Doctor | undefined) => {
    if (doctor) {
      show(doctor);
      setNotice('');
      focusDetails();
    }
  };
  const shown = queue?.shown;
  const step = (by: 1 | -1) => pick(shown && queue.doctors[queue.doctors.indexOf(shown) + by]);
  const ask = (asked: ReviewDecision) => shown && decisionsOn(shown).includes(asked) && setDecision(asked);
  const acts = useMemo(
    () => ({
      j: () => step(1),
      k: () => step(-1),
      a: () => ask('APPROVE'),
      r: () => ask('REJECT'),
      s: () => ask('SUSPEND'),
    }),
    [queue],
  );
  const keys = useKeys(acts);

  const finish = (text: string) => {
    setDecision(undefined);
    setNotice(text);
    focusDetails();
  };
  /** Somebody else was faster. */
  const readAgain = async (doctor: Doctor) => {
    const present = queue && (await read(queue.list, idOf(doctor)));
    const isThere = present?.shown && idOf(present.shown) === idOf(doctor);
    finish(
      isThere
        ? `${doctor.account.name} has changed since you opened it, so nothing was decided. This is the present state.`
        : `${doctor.account.name} is no longer there: somebody else was faster, or the account was closed. Nothing was decided by you.`,
    );
  };

  return (
    <>
      <h1>Reviews</h1>
      <p role="status">{notice && <Text>{notice}</Text>}</p>
      {error && (
        <div className="problem" role="alert">
          <p>{error.message}</p>
          <button type="button" onClick={() => read(queue?.list ?? 'PENDING')}>
            Try again
          </button>
        </div>
      )}
      <div className="filters">
        <label>
          Status
          <select
            value={queue?.list ?? 'PENDING'}
            onChange={({ target }) => void read(target.value as DoctorList, shown && idOf(shown))}
          >
            {Object.entries(LIST_NAMES).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label className="check">
          <input type="checkbox" checked={keys.areOn} onChange={({ target }) => keys.setOn(target.checked)} />{' '}
          Keys: j next, k before, a approve, r reject, s suspend
        </label>
      </div>
      {queue ? (
        <div className="reviews">
          <nav aria-label="Doctors">
            <ol>
              {queue.doctors.map((doctor) => (
                <li key={idOf(doctor)}>
                  <button
                    type="button"
                    aria-current={doctor === shown ? 'true' : undefined}
                    onClick={() => pick(doctor)}
                  >
                    <Text>{doctor.account.name}</Text>
                    <span className="hint">
                      <Text>{doctor.profile.specialization}</Text>
                    </span>
                    <span className="hint">
                      <Time iso={doctor.profile.proposal?.submittedAt ?? doctor.submittedAt} />
                    </span>
                  </button>
                </li>
              ))}
            </ol>
            {queue.after !== null && (
              <button type="button" onClick={() => readMore(queue)}>
                Show more
              </button>
            )}
          </nav>
          <section ref={details}>
            {shown ? (
              <Details key={`${idOf(shown)}/${shown.revision}`} doctor={shown} ask={setDecision} />
            ) : (
              <>
                <h2 tabIndex={-1}>Nobody is here</h2>
                <p>
                  {queue.list === 'PENDING' ? 'No doctor waits for a review.' : 'No doctor is in this list.'}
                </p>
              </>
            )}
          </section>
        </div>
      ) : (
        <p role="status">{error ? '' : 'Loading…'}</p>
      )}
      {decision && shown && (
        <DecisionDialog
          doctor={shown}
          decision={decision}
          onClose={() => setDecision(undefined)}
          onDone={() => {
            leave(shown);
            finish(`${shown.account.name} is ${textsOf(shown, decision).done}.`);
          }}
          onOutdated={() => void readAgain(shown)}
        />
      )}
    </>
  );
}

interface DetailsProperties {
  doctor: Doctor;
  ask(decision: ReviewDecision): void;
}

function Details({ doctor, ask }: DetailsProperties) {
  const { account, profile, newDocuments, submittedAt } = doctor;
  const { status, decidedAt, reason } = profile.verification;
  const facts = [
    ['Specialization', <Text key="s">{profile.specialization}</Text>],
    ['License number', <Text key="l">{profile.licenseNumber}</Text>],
    ['E-mail', <Text key="e">{account.email}</Text>],
    ['Telephone', account.phone && <Text>{account.phone}</Text>],
    ['Documents sent', <Time key="t" iso={submittedAt} />],
    ['Last decision', decidedAt && <Time iso={decidedAt} />],
    ['Reason', reason && <Text>{reason}</Text>],
    ['Current institution', profile.currentInstitution && <Text>{profile.currentInstitution}</Text>],
    ['Practice address', profile.practiceAddress && <Text>{profile.practiceAddress}</Text>],
    ['Work history', profile.workHistory && <Text>{profile.workHistory}</Text>],
    ['Publications', profile.publications && <Text>{profile.publications}</Text>],
  ] as const;
  return (
    <>
      <h2 tabIndex={-1}>
        <Text>{account.name}</Text>
      </h2>
      <p>{STATUS_NAMES[status]}</p>
      <p className="buttons">
        {decisionsOn(doctor).map((decision) => (
          <button
            key={decision}
            type="button"
            className={decision === 'APPROVE' ? 'primary' : ''}
            aria-keyshortcuts={DECISIONS[decision].key}
            onClick={() => ask(decision)}
          >
            {DECISIONS[decision].act}…
          </button>
        ))}
      </p>
      {newDocuments ? (
        <>
          <DocumentRow title="New documents" documents={newDocuments} unchanged={profile} />
          <DocumentRow title="Rejected documents" documents={profile} />
        </>
      ) : (
        <DocumentRow title="Documents" documents={profile} />
      )}
      {profile.proposal && <Proposal doctor={doctor} />}
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{orNone(value)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** What a verified doctor proposes, beside what counts until a reviewer approves it. */
function Proposal({ doctor: { account, profile } }: { doctor: Doctor }) {
  const { specialization, licenseNumber, proposal } = profile;
  const rows = [
    ['Full name', account.name, proposal?.name],
    ['Specialization', specialization, proposal?.specialization],
    ['License number', licenseNumber, proposal?.licenseNumber],
  ] as const;
  return (
    <div className="scroll">
      <table>
        <caption>Proposed correction</caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Current</th>
            <th scope="col">Proposed</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(
            ([name, current, proposed]) =>
              proposed && (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>
                    <Text>{current}</Text>
                  </td>
                  <td>
                    <Text>{proposed}</Text>
                  </td>
                </tr>
              ),
          )}
        </tbody>
      </table>
    </div>
  );
}

interface DecisionProperties {
  doctor: Doctor;
  decision: ReviewDecision;
  onClose(): void;
  onDone(): void;
  /** The doctor is not any more as the page shows it. */
  onOutdated(): void;
}

/** Asks for the reason of a decision, and for the consent: a key pressed by mistake decides nothing. */
function DecisionDialog({ doctor, decision, onClose, onDone, onOutdated }: DecisionProperties) {
  const { act, about, needsReason, next, asksForDocuments } = textsOf(doctor, decision);
  const decide = async (values: Record<string, string>) => {
    const { account, revision } = doctor;
    const documents = DOCUMENTS.filter(([document]) => document in values).map(([document]) => document);
    const reason = values.reason?.trim() || null;
    const variables = {
      id: account.id,
      // A doctor who corrects the profile again and again must not escape a suspension.
      ...(decision !== 'SUSPEND' && { revision }),
      decision,
      reason,
      ...(documents.length > 0 && { documents }),
    };
    try {
      await send(DecideOnDoctorDocument, variables, 'graphql');
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError) || !isOutdated(error)) {
        throw error;
      }
      onOutdated();
    }
  };
  return (
    <Dialog title={`${act} ${about}${doctor.account.name}?`} onClose={onClose}>
      <p>{next}</p>
      <Form submit={act} send={decide} onCancel={onClose}>
        {(error) => (
          <>
            <Field
              label="Reason"
              name="reason"
              hint="The doctor reads it. Up to 1,000 characters."
              isOptional={!needsReason}
              isLong
              error={error}
            />
            {asksForDocuments && (
              <fieldset>
                <legend>Documents that the doctor must send again</legend>
                {DOCUMENTS.map(([document, name]) => (
                  <label key={document} className="check">
                    <input type="checkbox" name={document} /> {name}
                  </label>
                ))}
                <p className="hint">All three, if you choose none. The others stay.</p>
              </fieldset>
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}

const DOCUMENTS = [
  ['LICENSE', 'License'],
  ['DIPLOMA', 'Diploma'],
  ['CERTIFICATION', 'Certification'],
] as const satisfies [DoctorDocument, string][];

const isOutdated = ({ code, fields }: ApiError): boolean =>
  code === 'NOT_FOUND' || Boolean(fields.revision ?? fields.decision);
