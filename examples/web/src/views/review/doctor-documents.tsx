import type { ReviewedDoctor } from '@auth-gateway/client';
import { DocumentView } from './document-view.tsx';

type Documents = Pick<ReviewedDoctor['profile'], 'licenseFileUrl' | 'diplomaFileUrl' | 'certificationUrl'>;

/** The documents to decide on. After a resubmission, the former ones follow for comparison. */
export function DoctorDocuments({ doctor: { profile, newDocuments } }: { doctor: ReviewedDoctor }) {
  if (newDocuments === null) {
    return <DocumentRow title="Documents" documents={profile} />;
  }
  return (
    <>
      <DocumentRow title="New documents" documents={newDocuments} />
      <DocumentRow title="Rejected documents" documents={profile} />
    </>
  );
}

const DocumentRow = ({ title, documents }: { title: string; documents: Documents }) => (
  <div className="document-row">
    <h3>{title}</h3>
    <DocumentView name="License" url={documents.licenseFileUrl} />
    <DocumentView name="Diploma" url={documents.diplomaFileUrl} />
    <DocumentView name="Certification" url={documents.certificationUrl} />
  </div>
);
