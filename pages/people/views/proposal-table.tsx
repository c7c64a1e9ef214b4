import type { DoctorProfile } from '@auth-gateway/client';
import { useTexts } from '../language/language.ts';
import { REVIEWED } from './account-fields.ts';

interface Properties {
  /** The name of the account, as long as the proposal waits. */
  name: string;
  profile: DoctorProfile;
}

/** What a verified doctor proposes, beside what counts until a reviewer approves it. */
export function ProposalTable({ name, profile }: Properties) {
  const { specialization, licenseNumber, proposal } = profile;
  const current = { name, specialization, licenseNumber };
  const { correction, fields } = useTexts();
  return (
    <table className="proposal">
      <caption>{correction.proposal}</caption>
      <thead>
        <tr>
          <th scope="col">{correction.field}</th>
          <th scope="col">{correction.current}</th>
          <th scope="col">{correction.proposed}</th>
        </tr>
      </thead>
      <tbody>
        {REVIEWED.map(
          (field) =>
            proposal?.[field] && (
              <tr key={field}>
                <th scope="row">{fields[field]}</th>
                <td>{current[field]}</td>
                <td>{proposal[field]}</td>
              </tr>
            ),
        )}
      </tbody>
    </table>
  );
}
