import type { AuthError, Passkey } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useState } from 'react';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { announce } from '../../navigation/notice.ts';
import { hasEnded } from '../../session/leave.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SectionHead } from '../../ui/section-head.tsx';
import { Time } from '../../ui/time.tsx';
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
  const [task, setTask] = useState<Task>();
  const close = () => setTask(undefined);
  const end = (notice: string) => {
    close();
    changed();
    announce(notice);
  };
  /** The device has a passkey already, or the person has closed its dialog: then this dialog closes, too. */
  const isOver = (error: AuthError<string>): boolean => {
    if (error.code === 'CANCELLED' || error.code === 'PASSKEY_EXISTS') {
      close();
      announce(error.code === 'CANCELLED' ? 'No passkey was added.' : error.message);
      return true;
    }
    return hasEnded(error);
  };
  return (
    <section>
      <SectionHead title="Passkeys" />
      <p>
        {passkeys.length === 0
          ? 'Sign in with your fingerprint, your face, the PIN of this device or a security key, without a password.'
          : 'Have you lost a device? Remove its passkey, and revoke its session above. Your password works as before.'}
      </p>
      <ul className="tokens">
        {passkeys.map((passkey) => (
          <PasskeyItem key={passkey.id} passkey={passkey} choose={(kind) => setTask({ kind, passkey })} />
        ))}
      </ul>
      {client.passkeys.isSupported() && (
        <div className="buttons">
          <button type="button" onClick={() => setTask({ kind: 'add' })}>
            Add a passkey…
          </button>
        </div>
      )}
      {task?.kind === 'add' && (
        <Dialog title="Add a passkey" onClose={close}>
          <Reauthenticate
            hasFactor={hasFactor}
            submitText="Go on"
            send={(fields) => client.passkeys.add(fields)}
            done={({ name }) => end(`The passkey "${name}" is added.`)}
            handles={isOver}
            close={close}
          />
        </Dialog>
      )}
      {task?.kind === 'rename' && (
        <Dialog title="Rename the passkey" onClose={close}>
          <NameForm passkey={task.passkey} done={() => end('The passkey has another name.')} />
        </Dialog>
      )}
      {task?.kind === 'remove' && (
        <Dialog title={`Remove "${task.passkey.name}"?`} onClose={close}>
          <p>Nobody can sign in with it then. Sessions that it has opened stay until you revoke them.</p>
          <Reauthenticate
            hasFactor={hasFactor}
            submitText="Remove"
            send={(fields) => client.passkeys.remove(task.passkey.id, fields)}
            done={() => end('The passkey is removed.')}
            close={close}
          />
        </Dialog>
      )}
    </section>
  );
}

function NameForm({ passkey: { id, name }, done }: { passkey: Passkey; done(): void }) {
  const { passkeys } = useAuth();
  const form = useForm({
    labels: { name: 'Name' },
    initial: { name },
    send: (fields, { signal }) => passkeys.rename(id, fields.name, { signal }),
    done,
    handles: hasEnded,
  });
  return (
    <Form form={form} submitText="Rename">
      <TextField
        field={form.field('name')}
        autoComplete="off"
        hint="For you, such as “The key of the hospital”."
      />
    </Form>
  );
}

interface ItemProperties {
  passkey: Passkey;
  choose(kind: 'rename' | 'remove'): void;
}

function PasskeyItem({ passkey: { name, createdAt, lastUsedAt, backedUp }, choose }: ItemProperties) {
  return (
    <li>
      <div>
        <h3>{name}</h3>
        <p className="times">
          {createdAt && (
            <>
              Since <Time iso={createdAt} />
            </>
          )}
          {lastUsedAt && (
            <>
              , last used <Time iso={lastUsedAt} />
            </>
          )}
          {backedUp && ', also on your other devices'}
        </p>
      </div>
      <button type="button" className="quiet" aria-label={`Rename ${name}`} onClick={() => choose('rename')}>
        Rename
      </button>
      <button type="button" className="quiet" aria-label={`Remove ${name}`} onClick={() => choose('remove')}>
        Remove
      </button>
    </li>
  );
}
