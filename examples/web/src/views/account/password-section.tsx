import { useAuth } from '@auth-gateway/client/react';
import { CheckField } from '../../form/check-field.tsx';
import { Form } from '../../form/form.tsx';
import { useForm } from '../../form/use-form.ts';
import { announce } from '../../navigation/notice.ts';
import { NewPasswordField } from '../../password/new-password-field.tsx';
import type { Person } from '../../password/password-advice.ts';
import { CurrentPasswordField } from '../../password/password-field.tsx';
import { PROOF, PROOF_LABELS, ProofFields } from '../../second-factor/proof-fields.tsx';
import { hasEnded } from '../../session/leave.ts';
import { SectionHead } from '../../ui/section-head.tsx';

interface Properties {
  person: Person;
  hasFactor: boolean;
  /** Called after a change, when other sessions may have ended. */
  changed(): void;
}

/** Changes the password. */
export function PasswordSection({ person, hasFactor, changed }: Properties) {
  const client = useAuth();
  const form = useForm({
    labels: {
      currentPassword: 'Current password',
      newPassword: 'New password',
      revokeOtherTokens: 'Log out everywhere else',
      ...PROOF_LABELS,
    },
    initial: { currentPassword: '', newPassword: '', revokeOtherTokens: true, ...PROOF },
    send: (values, { signal }) => client.password.change(values, { signal }),
    done({ revokedTokens }) {
      form.reset();
      changed();
      announce(`Your password is changed.${revokedTokens > 0 ? ' You are logged out everywhere else.' : ''}`);
    },
    handles: hasEnded,
  });
  return (
    <section>
      <SectionHead title="Password" />
      <Form form={form} submitText="Change the password">
        {/* So that a password manager knows whose password it changes. */}
        <input type="email" autoComplete="username" value={person.email} readOnly hidden />
        <CurrentPasswordField field={form.field('currentPassword')} />
        {hasFactor && <ProofFields code={form.field('code')} recoveryCode={form.field('recoveryCode')} />}
        <NewPasswordField field={form.field('newPassword')} person={person} />
        <CheckField field={form.field('revokeOtherTokens')} />
      </Form>
    </section>
  );
}
