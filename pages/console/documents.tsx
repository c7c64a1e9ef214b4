import { useEffect, useState } from 'react';

/** The documents of a doctor, by what they are. */
export type Documents = Readonly<
  Record<'licenseFileUrl' | 'diplomaFileUrl', string> & { certificationUrl: string | null }
>;

interface RowProperties {
  title: string;
  documents: Documents;
  /** Documents of another row. Those that are the same are shown only there. */
  unchanged?: Documents;
}

const FIELDS = [
  ['License', 'licenseFileUrl'],
  ['Diploma', 'diplomaFileUrl'],
  ['Certification', 'certificationUrl'],
] as const;

/** A signature of the URL says nothing about the document. */
const nameIn = (url: string | null | undefined): string => (url ?? '').replace(/\?.*$/, '');

/** Three documents side by side. */
export const DocumentRow = ({ title, documents, unchanged }: RowProperties) => (
  <section className="documents">
    <h3>{title}</h3>
    {FIELDS.map(([name, field]) =>
      unchanged && nameIn(documents[field]) === nameIn(unchanged[field]) ? (
        <figure key={field}>
          <figcaption>{name}</figcaption>
          <p className="hint">It stays as it was.</p>
        </figure>
      ) : (
        <Document key={field} name={name} url={documents[field]} />
      ),
    )}
  </section>
);

/** How soon after the Tab key a frame has the focus, in milliseconds. */
const TAB_MILLIS = 200;

/**
 * Gives the focus back that Chromium's viewer of PDFs takes when it has loaded a document: the keys of the page would end
 * there. A frame that somebody has clicked into, or reached with the Tab key, keeps it.
 */
export function useFocusKept(): void {
  useEffect(() => {
    let last: EventTarget | null = null;
    let tabAt = Number.NEGATIVE_INFINITY;
    const note = ({ target }: FocusEvent) => {
      last = target instanceof HTMLIFrameElement ? last : target;
    };
    const noteTab = ({ key, timeStamp }: KeyboardEvent) => {
      tabAt = key === 'Tab' ? timeStamp : tabAt;
    };
    const giveBack = () => {
      const frame = document.activeElement;
      if (frame instanceof HTMLIFrameElement && !frame.matches(':hover')) {
        frame.blur();
        if (last instanceof HTMLElement) {
          last.focus();
        }
      }
    };
    const onBlur = ({ timeStamp }: FocusEvent) => {
      if (timeStamp - tabAt > TAB_MILLIS) {
        // After the event: during it, Chromium would focus the element and still send the keys to the frame.
        setTimeout(giveBack);
      }
    };
    addEventListener('focusin', note);
    addEventListener('keydown', noteTab);
    addEventListener('blur', onBlur);
    return () => {
      removeEventListener('focusin', note);
      removeEventListener('keydown', noteTab);
      removeEventListener('blur', onBlur);
    };
  }, []);
}

/** The types that are shown here, by the end of the name. All others can only be opened with another program. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/\.png$/i, 'image/png'],
  [/\.jpe?g$/i, 'image/jpeg'],
  [/\.webp$/i, 'image/webp'],
  [/\.pdf$/i, 'application/pdf'],
];

const typeOf = (pathname: string): string | undefined => TYPES.find(([end]) => end.test(pathname))?.[1];

function Document({ name, url }: { name: string; url: string | null }) {
  return (
    <figure>
      <figcaption>{name}</figcaption>
      {url === null ? (
        <p className="hint">There is none.</p>
      ) : (
        <>
          <Preview name={name} url={url} />
          <a href={url} target="_blank" rel="noopener noreferrer">
            Open {name.toLowerCase()}
          </a>
        </>
      )}
    </figure>
  );
}

function Preview({ name, url }: { name: string; url: string }) {
  const { pathname, search } = new URL(url);
  const type = typeOf(pathname);
  const copy = useCopy(`${pathname.slice(pathname.indexOf('/storage/') + 1)}${search}`, type);
  if (type === undefined) {
    return <p className="paper hint">This type can only be shown by another program.</p>;
  }
  if (copy.address === undefined) {
    return (
      <p className="paper hint">{copy.hasFailed ? 'The document cannot be loaded. Open it.' : 'Loading…'}</p>
    );
  }
  // Neither a picture nor the browser's own viewer of PDFs runs anything of the document in this page. No viewer works in a sandbox.
  return type === 'application/pdf' ? (
    <iframe className="paper" src={copy.address} title={name} />
  ) : (
    <img className="paper" src={copy.address} alt={name} />
  );
}

/**
 * A copy of a document in memory, of a type that cannot run a script, whatever the document is: the gateway sends documents with a policy in
 * which browsers show no PDF.
 * @param path relative to this page
 */
function useCopy(
  path: string,
  type: string | undefined,
): { address: string | undefined; hasFailed: boolean } {
  const [copy, setCopy] = useState<{ path: string; address?: string }>();
  useEffect(() => {
    if (type === undefined) {
      return undefined;
    }
    let address: string | undefined;
    let isShown = true;
    const load = async () => {
      const response = await fetch(path, { credentials: 'omit' }).catch(() => undefined);
      const bytes = response?.ok ? await response.arrayBuffer().catch(() => undefined) : undefined;
      // Another doctor may be shown by now.
      if (isShown) {
        address = bytes && URL.createObjectURL(new Blob([bytes], { type }));
        setCopy({ path, ...(address !== undefined && { address }) });
      }
    };
    void load();
    return () => {
      isShown = false;
      if (address !== undefined) {
        URL.revokeObjectURL(address);
      }
    };
  }, [path, type]);
  const isCurrent = copy?.path === path;
  return {
    address: isCurrent ? copy.address : undefined,
    hasFailed: isCurrent && copy.address === undefined,
  };
}
