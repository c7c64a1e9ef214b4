import { useState } from 'react';
import { ApiError, send } from './api.ts';
import { Dialog, Field, Form } from './dialog.tsx';
import { download } from './download.ts';
import {
  type AccountChangeInput,
  AccountDocument,
  CloseAccountDocument,
  ConfirmActDocument,
  CorrectEmailDocument,
  DeclineActDocument,
  DisableAccountDocument,
  EnableAccountDocument,
  EndSessionsDocument,
  ExportAccountDocument,
  type PersonFragment,
  RemoveSecondFactorDocument,
  ResendMailDocument,
  SendResetLinkDocument,
  StepUpDocument,
  UnlockAccountDocument,
} from './generated/graphql.ts';
import { asApiError } from './loading.tsx';
import { CodeField, enter, PasswordField, proofOf } from './login.tsx';
import { currentSession } from './session.ts';
import { Text } from './text.tsx';

/** A change of an account, for its button and its dialog. */
export interface Change {
  title: string;
  explanation: string;
  submit: string;
  /** The act that needs another operator if one of its siblings was done lately. */
  guarded?: string;
  /** True if it asks for a new e-mail. */
  hasEmail?: boolean;
  /** Sends it. @returns the account after it */
  run(input: AccountChangeInput, values: Record<string, string>): Promise<PersonFragment>;
}

const disable: Change = {
  title: 'Disable the account',
  explanation: 'Nobody can log in until it is enabled again. All sessions end.',
  submit: 'Disable',
  run: async (input) => (await send(DisableAccountDocument, { input })).disableAccount,
};
const enable: Change = {
  title: 'Enable the account',
  explanation: 'Its owner can log in again. A closed account is kept.',
  submit: 'Enable',
  run: async (input) => (await send(EnableAccountDocument, { input })).enableAccount,
};
const unlock: Change = {
  title: 'Unlock the account',
  explanation: 'Failed logins and wrong codes are forgotten, so that its owner can try again at once.',
  submit: 'Unlock',
  run: async (input) => (await send(UnlockAccountDocument, { input })).unlockAccount,
};
const endSessions: Change = {
  title: 'End all sessions',
  explanation: 'Its owner has to log in again on every device.',
  submit: 'End all sessions',
  run: async (input) => (await send(EndSessionsDocument, { input })).endSessions,
};
const days = Number(document.getElementById('console')?.dataset.erasureDays);
const ERASURE = days > 0 ? `after ${days} ${days === 1 ? 'day' : 'days'}` : 'within an hour';

const close: Change = {
  title: 'Close the account',
  explanation: `Nobody can log in. All data is erased ${ERASURE}, unless the account is enabled before. Until then nobody else can register with its e-mail.`,
  submit: 'Close',
  run: async (input) => (await send(CloseAccountDocument, { input })).closeAccount,
};
/** Saves what the person can have by themselves, in whatever state the account is. */
export const saveData: Change = {
  title: 'Save the data of this person',
  explanation:
    'A file with all that the gateway holds about the person, for nobody else. It leads to no document.',
  submit: 'Save',
  run: async (input) => {
    const { exportAccount } = await send(ExportAccountDocument, { input });
    download(`account-${input.account}.json`, exportAccount, 'application/json');
    const { account } = await send(AccountDocument, { id: input.account });
    return account ?? Promise.reject(asApiError(account));
  },
};
const resetLink: Change = {
  title: 'Mail a link for a new password',
  explanation: 'The link goes to the e-mail of the account, and is shown to nobody else. All sessions end.',
  submit: 'Mail the link',
  guarded: 'reset link',
  run: async (input) => (await send(SendResetLinkDocument, { input })).sendResetLink,
};
const removeFactor: Change = {
  title: 'Remove the second factor',
  explanation:
    'App, recovery codes, passkeys and the password go, and all sessions end. Without a second factor, the password alone goes: somebody else may have it. Its owner chooses a new password by a link. Make sure who has asked you.',
  submit: 'Remove',
  guarded: 'second factor reset',
  run: async (input) => (await send(RemoveSecondFactorDocument, { input })).removeSecondFactor,
};
const correctEmail: Change = {
  title: 'Correct the e-mail',
  explanation:
    'A link is mailed to the new address, which counts when the link is used. The present address gets a notice at once. All sessions end.',
  submit: 'Mail the link',
  guarded: 'e-mail change',
  hasEmail: true,
  run: async (input, { email = '' }) =>
    (await send(CorrectEmailDocument, { input: { ...input, email } })).correctEmail,
};

/** The changes that make sense for an account. */
export function changesOf({ state }: PersonFragment): readonly Change[] {
  if (state === 'active') {
    return [unlock, endSessions, resetLink, correctEmail, removeFactor, disable, close];
  }
  return state === 'disabled' ? [enable, close] : state === 'closed' ? [enable] : [];
}

/** Tries a mail again. */
export const resendMail = (mail: string): Change => ({
  title: 'Send the mail again',
  explanation: 'The mail is tried at once. Its text is written when it is sent.',
  submit: 'Send again',
  run: async (input) => (await send(ResendMailDocument, { input: { ...input, mail } })).resendMail,
});

/** Does the act that another operator has asked for. */
const confirmAct = (act: string): Change => ({
  title: 'Confirm the act',
  explanation:
    'Together with another act of the last days it opens the account. Ask its owner yourself first.',
  submit: 'Confirm and do it',
  run: async (input) => (await send(ConfirmActDocument, { input: { ...input, act } })).confirmAct,
});

/** Declines it, or takes it back. */
const declineAct = (act: string): Change => ({
  title: 'Decline the act',
  explanation: 'Nothing is done. The operator can ask again.',
  submit: 'Decline',
  run: async (input) => (await send(DeclineActDocument, { input: { ...input, act } })).declineAct,
});

interface AnswersProperties {
  act: { id: string; requestedBy: string; requestedByName: string | null };
  choose(change: Change): void;
}

/** The answers to an act that waits. It needs two operators, so the gateway refuses any other confirmation. */
export function ActAnswers({ act: { id, requestedBy, requestedByName }, choose }: AnswersProperties) {
  const isOwn = requestedBy === currentSession()?.id;
  return (
    <div className="buttons">
      {isOwn ? (
        <span className="hint">You have asked for it, so another operator has to confirm it.</span>
      ) : requestedByName === null ? (
        <span className="hint">Who has asked for it is no operator any more, so nobody can confirm it.</span>
      ) : (
        <button type="button" onClick={() => choose(confirmAct(id))}>
          Confirm…
        </button>
      )}
      <button type="button" onClick={() => choose(declineAct(id))}>
        Decline…
      </button>
    </div>
  );
}

interface Properties {
  change: Change;
  account: { id: string; name: string; version: string; guarded?: readonly string[] };
  onDone(person: PersonFragment): void;
  onClose(): void;
}

/** Asks for the reason of a change, and makes it. */
export function ChangeDialog({ change, account, onDone, onClose }: Properties) {
  const { proving, stepUp } = useProof();
  const needsAnother = change.guarded !== undefined && account.guarded?.includes(change.guarded);
  const sendChange = ({ reason = '', ...values }: Record<string, string>) =>
    proving(async () =>
      onDone(await change.run({ account: account.id, version: account.version, reason }, values)),
    );
  return (
    <>
      <Dialog title={change.title} onClose={onClose}>
        <p>
          <strong>
            <Text>{account.name}</Text>
          </strong>
        </p>
        <p>{change.explanation}</p>
        {needsAnother && (
          <p className="problem">
            Another act of the last seven days and this one together open the account. Another operator has to
            confirm it.
          </p>
        )}
        <Form
          submit={needsAnother ? 'Ask another operator' : change.submit}
          send={sendChange}
          onCancel={onClose}
        >
          {(error) => (
            <>
              {change.hasEmail && <Field label="New e-mail" name="email" type="email" error={error} />}
              <Field label="Reason" name="reason" hint="One line. The audit trail keeps it." error={error} />
            </>
          )}
        </Form>
      </Dialog>
      {stepUp}
    </>
  );
}

/** Makes changes. If the last proof of the operator is too old, `stepUp` asks for another one first. */
export function useProof() {
  const [mustProve, setMustProve] = useState(false);
  const proving = async (change: () => Promise<void>) => {
    try {
      await change();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'INSUFFICIENT_USER_AUTHENTICATION') {
        setMustProve(true);
        return;
      }
      throw error;
    }
  };
  const close = () => setMustProve(false);
  return { proving, stepUp: mustProve && <StepUp onDone={close} onClose={close} /> };
}

/** Proves once more who is logged in, because a change needs that. */
function StepUp({ onDone, onClose }: { onDone(): void; onClose(): void }) {
  const prove = async ({ password = '', code = '' }: Record<string, string>) => {
    enter((await send(StepUpDocument, { input: { password, ...proofOf(code) } })).stepUp);
    onDone();
  };
  return (
    <Dialog title="Is it still you?" onClose={onClose}>
      <p>A change needs your password and a code of the last 15 minutes.</p>
      <Form submit="Continue" send={prove} onCancel={onClose}>
        {(error) => (
          <>
            <PasswordField error={error} />
            <CodeField error={error} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
