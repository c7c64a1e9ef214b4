import { REASON_MAX_CHARACTERS, readReason } from '../../../auth/account-texts.ts';
import { DECIDED, REVIEW_DECISIONS, type ReviewDecision } from '../../../auth/reviews/reviews.ts';
import type { Line } from '../../print.ts';
import { UsageError } from '../../usage-error.ts';
import type { Command, Options } from '../command.ts';
import { WHICH_ACCOUNT, whichAccount } from '../which-account.ts';
import { findDoctor } from './find-commands.ts';

const { APPROVE, REJECT, SUSPEND } = REVIEW_DECISIONS;

/** A command that decides on a doctor. Without `--revision`, it decides on the doctor as it is now. */
const decideCommand = (decision: ReviewDecision, reasonUsage: string, summary: string): Command => ({
  usage: `${WHICH_ACCOUNT.usage} ${reasonUsage} [--revision N]`,
  summary,
  options: [...WHICH_ACCOUNT.options, 'reason', 'revision'],
  prepare: (options) => {
    const which = whichAccount(options);
    const reason = reasonOf(decision, options);
    const seen = options.revision === undefined ? undefined : revisionOf(options.revision);
    return async function* (context): AsyncGenerator<Line> {
      const reviews = await context.openReviews();
      const { account, revision } = await findDoctor(context, reviews, which);
      const review = { id: account.id, revision: seen ?? revision, decision, reason };
      const { result, written } = await reviews.decide(review, context.operator);
      await written;
      const { status } = result.profile.verification ?? {};
      const text = `Doctor ${account.id} is ${DECIDED[decision]}.`;
      yield { text, json: { id: account.id, status, reason, revision: result.revision } };
    };
  },
});

export const approveDoctor = decideCommand(
  APPROVE,
  '[--reason T]',
  'verifies a doctor. With --revision N, nothing is decided if the doctor has changed since show has printed N',
);
export const rejectDoctor = decideCommand(
  REJECT,
  '--reason T',
  'rejects a doctor, who reads the reason and can submit other documents',
);
export const suspendDoctor = decideCommand(SUSPEND, '--reason T', 'suspends a doctor, who reads the reason');

/** @throws UsageError */
function reasonOf(decision: ReviewDecision, { reason }: Options): string | null {
  if (reason === undefined && decision === APPROVE) {
    return null;
  }
  if (reason === undefined) {
    throw new UsageError('Say why, for the doctor to read: --reason "…".');
  }
  const text = readReason(reason);
  if (text === undefined) {
    throw new UsageError(`--reason must be a text of 1 to ${REASON_MAX_CHARACTERS} characters.`);
  }
  return text;
}

/** @throws UsageError */
function revisionOf(revision: string): number {
  if (!/^\d{1,9}$/.test(revision)) {
    throw new UsageError('--revision must be the number that show has printed.');
  }
  return Number(revision);
}
