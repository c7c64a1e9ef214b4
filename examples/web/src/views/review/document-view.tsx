import { usePdf } from './use-pdf.ts';

/** Pictures that every browser draws, and PDF. All other types can only be opened with another program. */
const PICTURE = /\.(?:png|jpe?g|webp)$/i;
const PDF = /\.pdf$/i;

/** A document that can be read without leaving the page, with a link to it. */
export function DocumentView({ name, url }: { name: string; url: string | null }) {
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
  const { pathname } = new URL(url);
  if (PICTURE.test(pathname)) {
    return <img src={ownAddress(url)} alt={name} />;
  }
  if (PDF.test(pathname)) {
    return <PdfFrame name={name} url={ownAddress(url)} />;
  }
  return <p className="paper hint">This type can only be shown by another program.</p>;
}

function PdfFrame({ name, url }: { name: string; url: string }) {
  const pdf = usePdf(url);
  return (
    <div className="paper">
      {pdf.address ? (
        <iframe src={pdf.address} title={name} />
      ) : (
        <p className="hint">{pdf.hasFailed ? 'The document cannot be loaded.' : 'Loading…'}</p>
      )}
    </div>
  );
}

/** The address of a document at the page's own origin, which passes `/storage` on to the gateway (vite.config.ts). */
function ownAddress(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname.slice(pathname.indexOf('/storage/')) + search;
}
