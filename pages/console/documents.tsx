import { Viewer } from './viewer/viewer.tsx';

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

/**
 * The address of a document, relative to this page, whose policy permits no other server: the gateway sends the document itself, also
 * with `S3_DELIVERY=redirect`.
 */
function pathOf(url: string): string {
  const { pathname, searchParams } = new URL(url);
  searchParams.set('delivery', 'stream');
  return `${pathname.slice(pathname.indexOf('/storage/') + 1)}?${searchParams}`;
}

function Document({ name, url }: { name: string; url: string | null }) {
  const path = url === null ? undefined : pathOf(url);
  return (
    <figure>
      <figcaption>{name}</figcaption>
      {path === undefined ? (
        <p className="hint">There is none.</p>
      ) : (
        <>
          <Viewer key={path} name={name} path={path} />
          <a href={path} download>
            Save {name.toLowerCase()}
          </a>
        </>
      )}
    </figure>
  );
}
