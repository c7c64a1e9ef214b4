import type { Result } from '@auth-gateway/client';
import { useMemo } from 'react';
import { Form } from '../form/form.tsx';
import { useForm } from '../form/use-form.ts';
import { announce } from '../navigation/notice.ts';
import { useObjectUrl } from '../ui/use-object-url.ts';
import { CodeField } from './proof-fields.tsx';
import { showRecoveryCodes } from './recovery-codes.tsx';

/** What the gateway says about a new app. */
export interface NewApp {
  secretKey: string;
  url: string;
  svg: string;
}

interface Properties {
  app: NewApp;
  /** Sends the first code. */
  confirm(
    code: string,
    signal: AbortSignal | undefined,
  ): Promise<Result<{ recoveryCodes: string[] }, 'code' | 'challenge'>>;
  /** Called when the app is confirmed, and its recovery codes are shown. */
  done(): void;
}

/** The secret of a new app, to scan or to type, and the field for its first code. */
export function AppSetUp({ app, confirm, done }: Properties) {
  const image = useMemo(() => new Blob([app.svg], { type: 'image/svg+xml' }), [app.svg]);
  const address = useObjectUrl(image);
  const form = useForm({
    labels: { code: 'Code that the app shows' },
    initial: { code: '' },
    send: ({ code }, { signal }) => confirm(code, signal),
    done({ recoveryCodes }) {
      showRecoveryCodes(recoveryCodes);
      announce('Your authenticator app is set up. You are logged out everywhere else.');
      done();
    },
  });
  return (
    <>
      <p>Scan this with an authenticator app, such as that of your password manager.</p>
      {address && <img className="qr-code" src={address} alt="QR code with the secret" />}
      <p>
        Or type the secret <code className="secret">{app.secretKey.replace(/.{4}(?=.)/g, '$& ')}</code>, or{' '}
        <a href={app.url}>open the app on this device</a>.
      </p>
      <Form form={form} submitText="Confirm">
        <CodeField field={form.field('code')} />
      </Form>
    </>
  );
}
