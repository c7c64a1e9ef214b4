import { useState } from 'react';

interface Properties {
  codes: readonly string[];
  /** The name of the service, as authenticator apps show it. */
  service: string;
  onKept(): void;
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' });

/** New recovery codes, to copy, to save and to print: each time with the service and the day, which nobody remembers later. */
export function RecoveryCodes({ codes, service, onKept }: Properties) {
  const [made] = useState(() => new Date());
  const [copied, setCopied] = useState('Copy');
  const head = `Recovery codes of ${service}, made on ${DAY.format(made)}`;
  const text = `${head}\n\n${codes.join('\n')}\n`;
  const copy = async () => {
    // Without TLS there is no clipboard (W3C Secure Contexts), and a person may refuse it.
    await navigator.clipboard.writeText(text).then(
      () => setCopied('Copied'),
      () => setCopied('Select the codes to copy them'),
    );
  };
  const save = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    const name = service.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
    link.download = `recovery-codes-${name}-${made.toISOString().slice(0, 10)}.txt`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <>
      <p>{head}</p>
      <pre className="codes">{codes.join('\n')}</pre>
      <p className="buttons">
        <button type="button" onClick={() => void copy()}>
          {copied}
        </button>
        <button type="button" onClick={save}>
          Save
        </button>
        <button type="button" onClick={() => window.print()}>
          Print
        </button>
        <button type="button" className="primary" onClick={onKept}>
          I have kept them
        </button>
      </p>
    </>
  );
}
