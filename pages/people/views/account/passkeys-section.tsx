import type { AuthError, Passkey } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useState } from 'react';
import { Form } from '../../form/form.tsx';
import { problemText } from '../../form/problem-text.ts';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { timeText, useTexts } from '../../language/language.ts';
import { announce, type Say } from '../../navigation/notice.ts';
import { hasEnded } from '../../session/leave.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SectionHead } from '../../ui/section-head.tsx';
import { Reauthenticate } from './second-factor-section.tsx';

interface Properties {
  passkeys: readonly Passkey[];
  /** True if a sensitive act asks for a code beside the password. */
  hasFactor: boolean;
  /** Called when something has changed. */
  changed(): void;
}

type Task = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: Passkey };

/** The passkeys of the account. */
export function PasskeysSection({ passkeys, hasFactor, changed }: Properties) {
  const client = useAuth();
  const texts = useTexts();
  const { goOn, remove } = texts;
  const [task, setTask] = useState<Task>();
  const close = () => setTask(undefined);
  const end = (notice: Say) => {
    close();
    changed();
    announce(notice);
  };
  /** The device has a passkey already, or the person has closed its dialog: then this dialog closes, too. */
  const isOver = (error: AuthError<string>): boolean => {
    if (error.code === 'CANCELLED' || error.code === 'PASSKEY_EXISTS') {
      close();
      announce((present) =>
        error.code === 'CANCELLED' ? present.passkeys.notAdded : problemText(error, present),
      );
      return true;
    }
    return hasEnded(error);
  };
  return (
    <section>
      <SectionHead title={texts.passkeys.title} />
      <p>{passkeys.length === 0 ? texts.passkeys.none : texts.passkeys.some}</p>
      <ul className="tokens">
        {passkeys.map((passkey) => (
          <PasskeyItem key={passkey.id} passkey={passkey} choose={(kind) => setTask({ kind, passkey })} />
        ))}
      </ul>
      {client.passkeys.isSupported() && (
        <div className="buttons">
          <button type="button" onClick={() => setTask({ kind: 'add' })}>
            {texts.passkeys.add}
          </button>
        </div>
      )}
      {task?.kind === 'add' && (
        <Dialog title={texts.passkeys.addTitle} onClose={close}>
          <Reauthenticate
            hasFactor={hasFactor}
            submitText={goOn}
            send={(fields) => client.passkeys.add(fields)}
            done={({ name }) => end((present) => present.passkeys.added(name))}
            handles={isOver}
            close={close}
          />
        </Dialog>
      )}
      {task?.kind === 'rename' && (
        <Dialog title={texts.passkeys.renameTitle} onClose={close}>
          <NameForm passkey={task.passkey} done={() => end((present) => present.passkeys.renamed)} />
        </Dialog>
      )}
      {task?.kind === 'remove' && (
        <Dialog title={texts.passkeys.removeTitle(task.passkey.name)} onClose={close}>
          <p>{texts.passkeys.removal}</p>
          <Reauthenticate
            hasFactor={hasFactor}
            submitText={remove}
            send={(fields) => client.passkeys.remove(task.passkey.id, fields)}
            done={() => end((present) => present.passkeys.removed)}
            close={close}
          />
        </Dialog>
      )}
    </section>
  );
}

function NameForm({ passkey: { id, name }, done }: { passkey: Passkey; done(): void }) {
  const { passkeys } = useAuth();
  const { fields, hints, rename } = useTexts();
  const form = useForm({
    labels: { name: fields.passkeyName },
    initial: { name },
    send: (fields, { signal }) => passkeys.rename(id, fields.name, { signal }),
    done,
    handles: hasEnded,
  });
  return (
    <Form form={form} submitText={rename}>
      <TextField field={form.field('name')} autoComplete="off" hint={hints.passkeyName} />
    </Form>
  );
}

interface ItemProperties {
  passkey: Passkey;
  choose(kind: 'rename' | 'remove'): void;
}

function PasskeyItem({ passkey: { name, createdAt, lastUsedAt, backedUp }, choose }: ItemProperties) {
  const { passkeys, remove, rename } = useTexts();
  return (
    <li>
      <div>
        <h3>{name}</h3>
        <p className="times">
          {createdAt && passkeys.since(timeText(createdAt))}
          {lastUsedAt && passkeys.lastUsed(timeText(lastUsedAt))}
          {backedUp && passkeys.backedUp}
        </p>
      </div>
      <button
        type="button"
        className="quiet"
        aria-label={passkeys.renameOne(name)}
        onClick={() => choose('rename')}
      >
        {rename}
      </button>
      <button
        type="button"
        className="quiet"
        aria-label={passkeys.removeOne(name)}
        onClick={() => choose('remove')}
      >
        {remove}
      </button>
    </li>
  );
}
