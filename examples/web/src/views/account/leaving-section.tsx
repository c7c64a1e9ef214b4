import type { AuthError } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useState } from 'react';
import { announce } from '../../navigation/notice.ts';
import { saveAsJson } from '../../ui/save-as-json.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { ClosingDialog } from './closing-dialog.tsx';

/** Taking one's data along, and closing the account. @param fail is called when the data cannot be had */
export function LeavingSection({ fail }: { fail(error: AuthError): void }) {
  const client = useAuth();
  const [isClosing, setClosing] = useState(false);
  const download = async () => {
    const data = await client.exportMyData();
    if (!data.ok) {
      return fail(data.error);
    }
    saveAsJson(data.data, `my-data-${data.data.generatedAt.slice(0, 10)}.json`);
    announce('Your data is downloaded.');
  };
  return (
    <section>
      <SectionHead title="Your data" />
      <div className="buttons">
        <button type="button" onClick={download}>
          Download my data
        </button>
        <button type="button" className="danger" onClick={() => setClosing(true)}>
          Close my account…
        </button>
      </div>
      {isClosing && <ClosingDialog onClose={() => setClosing(false)} />}
    </section>
  );
}
