import { useAuth } from '@auth-gateway/client/react';
import { CheckField } from '../../form/check-field.tsx';
import { Form } from '../../form/form.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import { NewPasswordField } from '../../password/new-password-field.tsx';
import type { Person } from '../../password/password-advice.ts';
import { CurrentPasswordField } from '../../password/password-field.tsx';
import { PROOF, ProofFields, proofLabels } from '../../second-factor/proof-fields.tsx';
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
  const texts = useTexts();
  const { fields, password } = texts;
  const form = useForm({
    labels: {
      currentPassword: fields.currentPassword,
      newPassword: fields.newPassword,
      revokeOtherTokens: fields.revokeOtherTokens,
      ...proofLabels(texts),
    },
    initial: { currentPassword: '', newPassword: '', revokeOtherTokens: true, ...PROOF },
    send: (values, { signal }) => client.password.change(values, { signal }),
    done({ revokedTokens }) {
      form.reset();
      changed();
      announce((present) =>
        revokedTokens > 0 ? present.password.changedAndRevoked : present.password.changed,
      );
    },
    handles: hasEnded,
  });
  return (
    <section>
      <SectionHead title={password.title} />
      <Form form={form} submitText={password.change}>
        {/* So that a password manager knows whose password it changes. */}
        <input type="email" autoComplete="username" value={person.email} readOnly hidden />
        <CurrentPasswordField field={form.field('currentPassword')} />
        {hasFactor && <ProofFields form={form} />}
        <NewPasswordField field={form.field('newPassword')} person={person} />
        <CheckField field={form.field('revokeOtherTokens')} />
      </Form>
    </section>
  );
}
