import type { DoctorProfile } from '@auth-gateway/client';
import { REVIEWED_LABELS } from './account-fields.ts';

interface Properties {
  /** The name of the account, as long as the proposal waits. */
  name: string;
  profile: DoctorProfile;
}

/** What a verified doctor proposes, beside what counts until a reviewer approves it. */
export function ProposalTable({ name, profile }: Properties) {
  const { specialization, licenseNumber, proposal } = profile;
  const current = { name, specialization, licenseNumber };
  const fields = Object.keys(REVIEWED_LABELS) as (keyof typeof REVIEWED_LABELS)[];
  return (
    <table className="proposal">
      <caption>Proposed correction</caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Current</th>
          <th scope="col">Proposed</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(
          (field) =>
            proposal?.[field] && (
              <tr key={field}>
                <th scope="row">{REVIEWED_LABELS[field]}</th>
                <td>{current[field]}</td>
                <td>{proposal[field]}</td>
              </tr>
            ),
        )}
      </tbody>
    </table>
  );
}
