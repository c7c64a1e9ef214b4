import type { Result } from '@auth-gateway/client';
import { useMemo } from 'react';
import { Form } from '../form/form.tsx';
import { useForm } from '../form/use-form.ts';
import { useTexts } from '../language/language.ts';
import { announce } from '../navigation/notice.ts';
import { useObjectUrl } from '../ui/use-object-url.ts';
import { CodeField, recoveryCodeUse } from './proof-fields.tsx';
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
  const { confirm: submit, factor, fields } = useTexts();
  const form = useForm({
    labels: { code: fields.newCode },
    initial: { code: '' },
    send: ({ code }, { signal }) => confirm(code, signal),
    done({ recoveryCodes }) {
      showRecoveryCodes(recoveryCodes);
      recoveryCodeUse.set(false);
      announce((texts) => texts.factor.isSetUp);
      done();
    },
  });
  return (
    <>
      <p>{factor.scan}</p>
      {address && <img className="qr-code" src={address} alt={factor.qrCode} />}
      <p>
        {factor.orType} <code className="secret">{app.secretKey.replace(/.{4}(?=.)/g, '$& ')}</code>
      </p>
      <p>
        <a href={app.url}>{factor.openApp}</a>
      </p>
      <Form form={form} submitText={submit}>
        <CodeField field={form.field('code')} />
      </Form>
    </>
  );
}
