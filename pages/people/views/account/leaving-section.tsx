import type { AuthError } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useState } from 'react';
import { useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import { BusyButton } from '../../ui/busy-button.tsx';
import { saveAsFile } from '../../ui/save-as-file.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { ClosingDialog } from './closing-dialog.tsx';

interface Properties {
  /** Called when the data cannot be had. */
  fail(error: AuthError): void;
  /** Closing asks for a code, too. */
  hasFactor: boolean;
}

/** Taking one's data along, and closing the account. */
export function LeavingSection({ fail, hasFactor }: Properties) {
  const client = useAuth();
  const { leaving } = useTexts();
  const [isClosing, setClosing] = useState(false);
  const download = async () => {
    const data = await client.exportMyData();
    if (!data.ok) {
      return fail(data.error);
    }
    const text = JSON.stringify(data.data, null, 2);
    saveAsFile(text, 'application/json', `my-data-${data.data.generatedAt.slice(0, 10)}.json`);
    announce((texts) => texts.leaving.downloaded);
  };
  return (
    <section>
      <SectionHead title={leaving.title} />
      <div className="buttons">
        <BusyButton onClick={download}>{leaving.download}</BusyButton>
        <button type="button" className="danger" onClick={() => setClosing(true)}>
          {leaving.close}
        </button>
      </div>
      {isClosing && <ClosingDialog hasFactor={hasFactor} onClose={() => setClosing(false)} />}
    </section>
  );
}
