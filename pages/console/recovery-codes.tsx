import { useState } from 'react';
import { download } from './download.ts';
import { type Bilingual, say, timeText } from './language.tsx';

interface Properties {
  codes: readonly string[];
  /** The name of the service, as authenticator apps show it. */
  service: string;
  onKept(): void;
}

/** New recovery codes, to copy, to save and to print: each time with the service and the day, which nobody remembers later. */
export function RecoveryCodes({ codes, service, onKept }: Properties) {
  const [made] = useState(() => new Date());
  const [copied, setCopied] = useState<Bilingual>(['Copy', 'Kopieren']);
  const day = timeText(made, { dateStyle: 'long' });
  const head = say(
    `Recovery codes of ${service}, made on ${day}`,
    `Wiederherstellungscodes von ${service}, erzeugt am ${day}`,
  );
  const text = `${head}\n\n${codes.join('\n')}\n`;
  const copy = async () => {
    // Without TLS there is no clipboard (W3C Secure Contexts), and a person may refuse it.
    await navigator.clipboard.writeText(text).then(
      () => setCopied(['Copied', 'Kopiert']),
      () => setCopied(['Select the codes to copy them', 'Markieren Sie die Codes, um sie zu kopieren']),
    );
  };
  const save = () => {
    const name = service.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
    const kind = say('recovery-codes', 'wiederherstellungscodes');
    download(`${kind}-${name}-${made.toISOString().slice(0, 10)}.txt`, text, 'text/plain');
  };
  return (
    <>
      <p>{head}</p>
      <pre className="codes">{codes.join('\n')}</pre>
      <p className="buttons">
        <button type="button" onClick={() => void copy()}>
          {say(...copied)}
        </button>
        <button type="button" onClick={save}>
          {say('Save', 'Speichern')}
        </button>
        <button type="button" onClick={() => window.print()}>
          {say('Print', 'Drucken')}
        </button>
        <button type="button" className="primary" onClick={onKept}>
          {say('I have kept them', 'Ich habe sie aufbewahrt')}
        </button>
      </p>
    </>
  );
}
