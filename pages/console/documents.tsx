import type { DoctorDocument } from './generated-reviews/graphql.ts';
import { type Bilingual, say } from './language.tsx';
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

/** The names of the documents, in their order. */
export const DOCUMENT_NAMES: Record<DoctorDocument, Bilingual> = {
  LICENSE: ['License', 'Approbation'],
  DIPLOMA: ['Diploma', 'Diplom'],
  CERTIFICATION: ['Certification', 'Zertifikat'],
};

const FIELDS = [
  [DOCUMENT_NAMES.LICENSE, 'licenseFileUrl'],
  [DOCUMENT_NAMES.DIPLOMA, 'diplomaFileUrl'],
  [DOCUMENT_NAMES.CERTIFICATION, 'certificationUrl'],
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
          <figcaption>{say(...name)}</figcaption>
          <p className="hint">{say('It stays as it was.', 'Unverändert.')}</p>
        </figure>
      ) : (
        <Document key={field} name={say(...name)} url={documents[field]} />
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
        <p className="hint">{say('There is none.', 'Es gibt keines.')}</p>
      ) : (
        <>
          <Viewer key={path} name={name} path={path} />
          <a href={path} download>
            {say(`Save ${name.toLowerCase()}`, `${name} speichern`)}
          </a>
        </>
      )}
    </figure>
  );
}
