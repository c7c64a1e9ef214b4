import { useEffect, useMemo, useRef, useState } from 'react';
import { ApiError, send } from './api.ts';
import {
  DECISIONS,
  type DoctorList,
  decisionsOn,
  GROUND_NAMES,
  LIST_NAMES,
  STATUS_NAMES,
  textsOf,
} from './decisions.ts';
import { Dialog, Field, Form } from './dialog.tsx';
import { DOCUMENT_NAMES, DocumentRow } from './documents.tsx';
import {
  DecideOnDoctorDocument,
  type DoctorDocument,
  DoctorForReviewDocument,
  type DoctorInReviewFragment,
  DoctorsForReviewDocument,
  type DoctorsForReviewQueryVariables,
  type LicenseFitFieldsFragment,
  type RejectionGround,
  type ReviewDecision,
  type VerificationStatus,
} from './generated-reviews/graphql.ts';
import { useKeys } from './keys.ts';
import { type Bilingual, say } from './language.tsx';
import { asApiError, Loading, ReadProblem, Shown, useLoaded } from './loading.tsx';
import { Table } from './table.tsx';
import { LastDay, orNone, Text, Time } from './text.tsx';

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
  list === 'CORRECTIONS' ? { proposals: true } : list === 'ENDING' ? { ending: true } : { status: list };

async function readPage(
  list: DoctorList,
  after: string | null = null,
): Promise<Pick<Queue, 'doctors' | 'after'>> {
  const variables = { ...queryOf(list), first: 20, after };
  const { edges, pageInfo } = (await send(DoctorsForReviewDocument, variables, 'graphql')).doctorsForReview;
  return { doctors: edges.map(({ node }) => node), after: pageInfo.hasNextPage ? pageInfo.endCursor : null };
}

/** The time by which a list is sorted. */
const timeIn = (list: DoctorList, { profile: { proposal, verification }, submittedAt }: Doctor): string =>
  ((list === 'ENDING' || list === 'EXPIRED') && verification.until) || (proposal?.submittedAt ?? submittedAt);

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
  const open = (id: string) =>
    send(DoctorForReviewDocument, { id }, 'graphql').then(
      ({ doctorForReview }) => show(doctorForReview),
      (thrown: unknown) => setError(asApiError(thrown)),
    );
  const leave = (doctor: Doctor) =>
    setQueue((current) => {
      const index = current?.doctors.indexOf(doctor) ?? -1;
      const doctors = current?.doctors.filter((other) => other !== doctor) ?? [];
      return current && { ...current, doctors, shown: doctors[index] ?? doctors.at(-1) };
    });
  return { queue, error, read, readMore, show, open, leave };
}

/** Where reviewers look at documents and decide. */
export function ReviewsPage() {
  const { queue, error, read, readMore, show, open, leave } = useQueue();
  const [decision, setDecision] = useState<ReviewDecision>();
  const [notice, setNotice] = useState<Bilingual>();
  const details = useRef<HTMLElement>(null);
  useEffect(() => void read('PENDING'), []);

  // An effect, because the heading to focus may not be drawn yet.
  const [focusing, setFocusing] = useState(0);
  const focusDetails = () => setFocusing((times) => times + 1);
  useEffect(() => {
    if (focusing > 0) {
      details.current?.querySelector('h2')?.focus();
    }
  }, [focusing]);
  const pick = (doctor: Doctor | undefined) => {
    if (doctor) {
      show(doctor);
      setNotice(undefined);
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
      e: () => ask('CHANGE_END'),
    }),
    [queue],
  );
  const keys = useKeys(acts);

  const finish = (...text: Bilingual) => {
    setDecision(undefined);
    setNotice(text);
    focusDetails();
  };
  /** Somebody else was faster. */
  const readAgain = async (doctor: Doctor) => {
    const present = queue && (await read(queue.list, idOf(doctor)));
    const isThere = present?.shown && idOf(present.shown) === idOf(doctor);
    const { name } = doctor.account;
    const text: Bilingual = isThere
      ? [
          `${name} has changed since you opened it, so nothing was decided. This is the present state.`,
          `${name} hat sich geändert, seit Sie es geöffnet haben: Es wurde nichts entschieden. Dies ist der jetzige Stand.`,
        ]
      : [
          `${name} is no longer there: somebody else was faster, or the account was closed. Nothing was decided by you.`,
          `${name} ist nicht mehr da: Jemand war schneller, oder das Konto wurde geschlossen. Sie haben nichts entschieden.`,
        ];
    finish(...text);
  };

  return (
    <>
      <h1>{say('Reviews', 'Prüfungen')}</h1>
      <p role="status">{notice && <Text>{say(...notice)}</Text>}</p>
      {error && <ReadProblem error={error} again={() => void read(queue?.list ?? 'PENDING')} />}
      <div className="filters">
        <label>
          Status
          <select
            value={queue?.list ?? 'PENDING'}
            onChange={({ target }) => void read(target.value as DoctorList, shown && idOf(shown))}
          >
            {Object.entries(LIST_NAMES).map(([value, name]) => (
              <option key={value} value={value}>
                {say(...name)}
              </option>
            ))}
          </select>
        </label>
        <label className="check">
          <input type="checkbox" checked={keys.areOn} onChange={({ target }) => keys.setOn(target.checked)} />{' '}
          {say(
            'Keys: j next, k before, a approve, r reject, s suspend, e end',
            'Tasten: j weiter, k zurück, a bestätigen, r ablehnen, s aussetzen, e Ende',
          )}
        </label>
      </div>
      {queue ? (
        <div className="reviews">
          <nav aria-label={say('Doctors', 'Ärztinnen und Ärzte')}>
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
                      <Time iso={timeIn(queue.list, doctor)} />
                    </span>
                  </button>
                </li>
              ))}
            </ol>
            {queue.after !== null && (
              <button type="button" onClick={() => readMore(queue)}>
                {say('Show more', 'Mehr anzeigen')}
              </button>
            )}
          </nav>
          <section ref={details}>
            {shown ? (
              <Details
                key={`${idOf(shown)}/${shown.revision}`}
                doctor={shown}
                ask={setDecision}
                open={(id) => void open(id).then(focusDetails)}
              />
            ) : (
              <>
                <h2 tabIndex={-1}>{say('Nobody is here', 'Hier ist niemand')}</h2>
                <p>
                  {queue.list === 'PENDING'
                    ? say('No doctor waits for a review.', 'Niemand wartet auf eine Prüfung.')
                    : say('No doctor is in this list.', 'Diese Liste ist leer.')}
                </p>
              </>
            )}
          </section>
        </div>
      ) : (
        !error && <Loading />
      )}
      {decision && shown && (
        <DecisionDialog
          doctor={shown}
          decision={decision}
          onClose={() => setDecision(undefined)}
          onDone={() => {
            leave(shown);
            const { name } = shown.account;
            const { done } = textsOf(shown, decision);
            finish(`${name} ${done[0]}.`, `${name} ${done[1]}.`);
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
  /** Shows another doctor. */
  open(id: string): void;
}

function Details({ doctor, ask, open }: DetailsProperties) {
  const { account, profile, newDocuments, submittedAt } = doctor;
  const { proposal, verification } = profile;
  const { status, decidedAt, reason, grounds, until } = verification;
  const time = (iso: string | null | undefined) => iso && <Time iso={iso} />;
  const facts = [
    [say('Specialization', 'Fachgebiet'), profile.specialization],
    [say('License number', 'Approbationsnummer'), profile.licenseNumber],
    ...(doctor.licenseFit
      ? [[say('Rule of the number', 'Regel der Nummer'), <Fit key="fit" fit={doctor.licenseFit} />] as const]
      : []),
    [say('E-mail', 'E-Mail'), account.email],
    [say('Telephone', 'Telefon'), account.phone],
    [say('Current institution', 'Derzeitige Einrichtung'), profile.currentInstitution],
    [say('Documents sent', 'Unterlagen gesendet'), time(submittedAt)],
    ...(proposal
      ? [
          [
            newDocuments
              ? say('Renewal sent', 'Verlängerung gesendet')
              : say('Correction sent', 'Berichtigung gesendet'),
            time(proposal.submittedAt),
          ] as const,
        ]
      : []),
    [say('Last decision', 'Letzte Entscheidung'), time(decidedAt)],
    ...(until
      ? [[say('Verified until', 'Bestätigt bis'), <LastDay key="until" iso={until} />] as const]
      : []),
  ] as const;
  const texts = [
    [say('Grounds', 'Gründe'), grounds.map((ground) => say(...GROUND_NAMES[ground])).join(', ')],
    [say('Reason', 'Begründung'), reason],
    [say('Practice address', 'Anschrift der Praxis'), profile.practiceAddress],
    [say('Work history', 'Beruflicher Werdegang'), profile.workHistory],
    [say('Publications', 'Veröffentlichungen'), profile.publications],
  ] as const;
  return (
    <>
      <h2 tabIndex={-1}>
        <Text>{account.name}</Text>
      </h2>
      <p>{stateOf(status, doctor.isDisabled)}</p>
      <p className="buttons">
        {decisionsOn(doctor).map((decision) => (
          <button
            key={decision}
            type="button"
            className={decision === 'APPROVE' ? 'primary' : ''}
            aria-keyshortcuts={DECISIONS[decision].key}
            onClick={() => ask(decision)}
          >
            {say(`${DECISIONS[decision].act[0]}…`, `${DECISIONS[decision].act[1]} …`)}
          </button>
        ))}
      </p>
      <Others id={account.id} open={open} />
      {newDocuments ? (
        <>
          <DocumentRow
            title={say('New documents', 'Neue Unterlagen')}
            documents={newDocuments}
            unchanged={profile}
          />
          <DocumentRow
            title={
              proposal
                ? say('Current documents', 'Bisherige Unterlagen')
                : say('Rejected documents', 'Abgelehnte Unterlagen')
            }
            documents={profile}
          />
        </>
      ) : (
        <DocumentRow title={say('Documents', 'Unterlagen')} documents={profile} />
      )}
      {(proposal?.name || proposal?.specialization || proposal?.licenseNumber) && (
        <Proposal doctor={doctor} />
      )}
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{orNone(typeof value === 'string' ? <Text>{value}</Text> : value)}</dd>
          </div>
        ))}
        {texts.map(([name, value]) => (
          <div key={name} className="wide">
            <dt>{name}</dt>
            <dd>{orNone(value && <Text hasLines>{value}</Text>)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

const stateOf = (status: VerificationStatus, isDisabled: boolean): string =>
  `${say(...STATUS_NAMES[status])}${isDisabled ? say(', account disabled', ', Konto gesperrt') : ''}`;

/** Other doctors with the same license number or document. */
function Others({ id, open }: { id: string } & Pick<DetailsProperties, 'open'>) {
  const loaded = useLoaded(id, () => send(DoctorForReviewDocument, { id }, 'graphql'));
  return (
    <Shown loaded={loaded}>
      {({ doctorForReview: { others } }) =>
        others?.map((other) => (
          <p key={other.id} className="problem">
            <button type="button" onClick={() => open(other.id)}>
              <Text>{other.name}</Text>
            </button>{' '}
            {other.hasSameLicenseNumber &&
              say('has the same license number. ', 'hat dieselbe Approbationsnummer. ')}
            {other.hasSameDocument &&
              say('has sent the same document. ', 'hat dieselbe Unterlage gesendet. ')}
            {stateOf(other.status, other.isDisabled)}
          </p>
        ))
      }
    </Shown>
  );
}

/** Which rule a license number fits. The reviewer opens the register, which learns nothing of this page. */
const Fit = ({ fit: { rule, source, lookupUrl } }: { fit: LicenseFitFieldsFragment }) => (
  <>
    {rule === null ? say('Fits no rule', 'Passt zu keiner Regel') : say('Fits ', 'Passt zu ')}
    <Text>{rule ?? ''}</Text>
    {source !== null && (
      <>
        {' '}
        (<Text>{source}</Text>)
      </>
    )}{' '}
    {lookupUrl !== null && (
      <a href={lookupUrl} target="_blank" rel="noreferrer">
        {say('Look it up', 'Nachschlagen')}
      </a>
    )}
  </>
);

/** What a verified doctor proposes, beside what counts until a reviewer approves it. */
function Proposal({ doctor: { account, profile, proposedLicenseFit } }: { doctor: Doctor }) {
  const { specialization, licenseNumber, proposal } = profile;
  const rows = [
    [say('Full name', 'Vollständiger Name'), account.name, proposal?.name],
    [say('Specialization', 'Fachgebiet'), specialization, proposal?.specialization],
    [say('License number', 'Approbationsnummer'), licenseNumber, proposal?.licenseNumber, proposedLicenseFit],
  ] as const;
  return (
    <Table
      caption={say('Proposed correction', 'Vorgeschlagene Berichtigung')}
      heads={[say('Field', 'Feld'), say('Current', 'Bisher'), say('Proposed', 'Vorschlag')]}
    >
      {rows.map(
        ([name, current, proposed, fit]) =>
          proposed && (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <Text>{current}</Text>
              </td>
              <td>
                <Text>{proposed}</Text> {fit && <Fit fit={fit} />}
              </td>
            </tr>
          ),
      )}
    </Table>
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
  const { act, about, needsReason, next, asksForDocuments, withoutEnd } = textsOf(doctor, decision);
  const { name } = doctor.account;
  const title: Bilingual = [`${act[0]} ${about[0]}${name}?`, `${about[1]}${name} ${act[1].toLowerCase()}?`];
  const decide = async (values: Record<string, string>) => {
    const { account, revision } = doctor;
    const documents = (Object.keys(DOCUMENT_NAMES) as DoctorDocument[]).filter(
      (document) => document in values,
    );
    const grounds = (Object.keys(GROUND_NAMES) as RejectionGround[]).filter((ground) => ground in values);
    const reason = values.reason?.trim() || null;
    const variables = {
      id: account.id,
      // A doctor who corrects the profile again and again must not escape a suspension.
      ...(decision !== 'SUSPEND' && { revision }),
      decision,
      reason,
      ...(documents.length > 0 && { documents }),
      ...(grounds.length > 0 && { grounds }),
      ...(values.until && { until: values.until }),
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
    <Dialog title={say(...title)} onClose={onClose}>
      <p>{say(...next)}</p>
      <Form submit={say(...act)} send={decide} onCancel={onClose}>
        {(error) => (
          <>
            {withoutEnd && (
              <Field
                label={say('Verified until', 'Bestätigt bis')}
                name="until"
                type="date"
                hint={say(...withoutEnd)}
                isOptional
                error={error}
              />
            )}
            <Field
              label={say('Reason', 'Begründung')}
              name="reason"
              hint={say(
                'The doctor reads it. Up to 1,000 characters.',
                'Die Ärztin oder der Arzt liest sie. Bis zu 1.000 Zeichen.',
              )}
              isOptional={!needsReason}
              isLong
              error={error}
            />
            {decision === 'REJECT' && (
              <fieldset>
                <legend>
                  {say(
                    'Grounds, in the doctor’s own language',
                    'Gründe, in der Sprache der Ärztin oder des Arztes',
                  )}
                </legend>
                {Object.entries(GROUND_NAMES).map(([ground, name]) => (
                  <label key={ground} className="check">
                    <input type="checkbox" name={ground} /> {say(...name)}
                  </label>
                ))}
              </fieldset>
            )}
            {asksForDocuments && (
              <fieldset>
                <legend>
                  {say('Documents that the doctor must send again', 'Unterlagen, die neu zu senden sind')}
                </legend>
                {Object.entries(DOCUMENT_NAMES).map(([document, name]) => (
                  <label key={document} className="check">
                    <input type="checkbox" name={document} /> {say(...name)}
                  </label>
                ))}
                <p className="hint">
                  {say(
                    'All three, if you choose none. The others stay.',
                    'Alle drei, wenn Sie keine wählen. Die anderen bleiben.',
                  )}
                </p>
              </fieldset>
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}

const isOutdated = ({ code, fields }: ApiError): boolean =>
  code === 'NOT_FOUND' || Boolean(fields.revision ?? fields.decision);
